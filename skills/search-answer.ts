/** Capabilities: each takes an input and a context and returns a result. No money, no transport. */
import type { Clock } from "../src/core/clock.js";
import { toIsoTime } from "../src/core/clock.js";
import { answer, noAnswer, type Outcome } from "../src/core/skill.js";
import type { EvidenceWire, RowWire, SearchResponse } from "../src/core/wire.js";
import { type Evidence, type Graph, toTrendId } from "../src/knowledge/graph.js";
import type { HybridSearch, RankedConcept, SearchOutcome } from "../src/search/search.js";

export interface SearchSkillDeps {
	readonly search: HybridSearch;
	readonly clock: Clock;
}

export interface SearchTask {
	readonly graphs: readonly Graph[];
	/** The graph the caller named; null when the search spans several. */
	readonly graphId: string | null;
	readonly query: string;
	readonly limit: number;
	readonly signal: AbortSignal;
}

/** Searches and writes the contract's answer; without a row there is nothing to pay for. */
export async function searchAndAnswer(
	{ search, clock }: SearchSkillDeps,
	task: SearchTask,
): Promise<Outcome<SearchResponse>> {
	const startedMs = clock.monotonicMs();
	const { graphs, query, limit, signal } = task;
	const found = await search.find({ graphs, query, limit, signal });
	const response = toResponse(task, found, {
		tookMs: Math.round(clock.monotonicMs() - startedMs),
		asOf: toIsoTime(clock.now()),
	});
	return response.rows.length > 0 ? answer(response) : noAnswer(response);
}

function toResponse(
	{ graphId, query }: SearchTask,
	found: SearchOutcome,
	{ tookMs, asOf }: { tookMs: number; asOf: string },
): SearchResponse {
	return {
		ok: true,
		dataStatus: found.dataStatus,
		meta: {
			query,
			graph_id: graphId,
			decision: found.decision,
			execution_time_ms: tookMs,
			mode: found.mode,
			missing: [...found.missing],
			graphs_used: [...new Set(found.rows.map((row) => row.graph.record.id))],
			as_of: asOf,
		},
		rows: found.rows.map(toRow),
	};
}

function toRow({ graph, concept, score }: RankedConcept): RowWire {
	return {
		trend_id: toTrendId(graph.record.id, concept.id),
		name: concept.title,
		summary: concept.summary,
		evidence: concept.evidence.map(toEvidence),
		graph_id: graph.record.id,
		type: concept.type,
		score: Math.round(score * 10_000) / 10_000,
		trust_tier: concept.trust,
	};
}

function toEvidence(evidence: Evidence): EvidenceWire {
	const { articleId, title, sourceUrl, publishedAt, datePrecision } = evidence;
	return {
		article_id: articleId,
		title,
		source_url: sourceUrl,
		published_at: publishedAt ?? null,
		...(datePrecision && { date_precision: datePrecision }),
	};
}
