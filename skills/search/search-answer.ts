/** Capabilities: each takes an input and a context and returns a result. No money, no transport. */

import {
	answer,
	type EvidenceWire,
	type ExplanationWire,
	type FiltersWire,
	isAnswered,
	noAnswer,
	type Outcome,
	type RowWire,
	type SearchResponse,
} from "../../src/contract/contract.js";
import { truncateText } from "../../src/documents/documents.js";
import { sourceKindOf } from "../../src/evidence/evidence.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import { type Evidence, type Graph, sharedVersionOf } from "../../src/knowledge/knowledge.js";
import type {
	ConceptFilter,
	HybridSearch,
	RankedConcept,
	ScoreExplanation,
	SearchOutcome,
} from "../../src/search/search.js";

const TEXT_ROWS = 3;
const SUMMARY_CHARS = 240;
const SUGGESTIONS = 5;

export interface SearchTask {
	readonly graphs: readonly Graph[];
	/** The graph the caller named; null when the search spans several. */
	readonly graphId: string | null;
	readonly query: string;
	readonly limit: number;
	readonly filters?: FiltersWire | undefined;
	readonly effort?: SearchOutcome["effort"] | undefined;
	readonly explain: boolean;
	readonly signal: AbortSignal;
}

/** Searches and writes the contract's answer; without a row there is nothing to pay for. */
export async function searchAndAnswer(
	{
		search,
		clock,
	}: {
		readonly search: HybridSearch;
		readonly clock: Clock;
	},
	task: SearchTask,
): Promise<Outcome<SearchResponse>> {
	const startedMs = clock.monotonicMs();
	const { graphs, query, limit, effort, explain, signal } = task;
	const filter = toConceptFilter(task.filters);
	const found = await search.find({ graphs, query, limit, filter, effort, explain, signal });
	const response = toResponse(task, found, {
		tookMs: Math.round(clock.monotonicMs() - startedMs),
		asOf: toIsoTime(clock.now()),
	});
	return response.rows.length > 0 ? answer(response) : noAnswer(response);
}

/** The best rows with their links. */
export function toSearchText({ rows, meta }: SearchResponse): string {
	const { suggestions = [] } = meta;
	if (suggestions.length > 0) return `What is meant? It may be: ${suggestions.join("; ")}.`;
	return rows
		.slice(0, TEXT_ROWS)
		.map(({ name, summary, evidence }, index) => {
			const link = evidence[0] ? ` (${evidence[0].source_url})` : "";
			return `${index + 1}. ${name}: ${truncateText(summary, SUMMARY_CHARS)}${link}`;
		})
		.join("\n");
}

function toResponse(
	{ graphs, graphId, query }: SearchTask,
	found: SearchOutcome,
	{ tookMs, asOf }: { tookMs: number; asOf: string },
): SearchResponse {
	const rows = isAnswered(found.decision) ? found.rows : [];
	const suggestions = found.decision === "CLARIFY" ? suggestFrom(found.rows) : [];
	return {
		ok: true,
		dataStatus: found.dataStatus,
		meta: {
			query,
			graph_id: graphId,
			decision: found.decision,
			execution_time_ms: tookMs,
			mode: found.mode,
			effort: found.effort,
			...(found.language !== undefined && { language: found.language }),
			...(found.reason !== undefined && { mode_reason: found.reason }),
			missing: [...found.missing],
			...(suggestions.length > 0 && { suggestions }),
			graphs_used: [...new Set(rows.map((row) => row.graph.record.id))],
			...toVersions(graphId === null ? rows.map((row) => row.graph) : graphs),
			as_of: asOf,
		},
		rows: rows.map(toRow),
	};
}

/** Which version of each graph was searched, where processes have to agree on it. */
function toVersions(graphs: readonly Graph[]): Pick<SearchResponse["meta"], "graph_versions"> {
	const versions = new Map<string, number>();
	for (const graph of graphs) {
		const version = sharedVersionOf(graph);
		if (version !== undefined) versions.set(graph.record.id, version);
	}
	return versions.size === 0 ? {} : { graph_versions: Object.fromEntries(versions) };
}

/** What the caller may have meant; titles can be read for nothing anyway. */
function suggestFrom(rows: readonly RankedConcept[]): string[] {
	return [...new Set(rows.map(({ concept }) => concept.title))].slice(0, SUGGESTIONS);
}

function toRow(row: RankedConcept): RowWire {
	const { graph, trendId, concept, score, evidence, duplicates, explanation } = row;
	return {
		trend_id: trendId,
		name: concept.title,
		summary: concept.summary,
		evidence: evidence.map(toEvidence),
		graph_id: graph.record.id,
		type: concept.type,
		score: round(score),
		trust_tier: concept.trust,
		...(duplicates.length > 0 && { duplicates: duplicates.map((twin) => twin.trendId) }),
		...(explanation && { explanation: toExplanation(explanation) }),
	};
}

function toExplanation(parts: ScoreExplanation): ExplanationWire {
	return {
		bm25: round(parts.bm25),
		lexical_share: round(parts.lexicalShare),
		cosine: parts.cosine === undefined ? null : round(parts.cosine),
		dense_share: parts.denseShare === undefined ? null : round(parts.denseShare),
		dense_weight: round(parts.denseWeight),
		graph: round(parts.graph),
		prior: round(parts.prior),
		answers: parts.answers === undefined ? null : round(parts.answers),
		coverage: round(parts.coverage),
		is_named: parts.isNamed,
		terms: parts.terms.map(({ term, score }) => ({ term, score: round(score) })),
	};
}

function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}

export function toEvidence(evidence: Evidence): EvidenceWire {
	const { articleId, title, sourceUrl, publishedAt, datePrecision } = evidence;
	const kind = sourceKindOf(evidence);
	return {
		article_id: articleId,
		title,
		source_url: sourceUrl,
		published_at: publishedAt ?? null,
		...(datePrecision && { date_precision: datePrecision }),
		...(kind && { source_kind: kind }),
	};
}

/** The caller's filters in the words of the engine; undefined when none was sent. */
export function toConceptFilter(filters: FiltersWire | undefined): ConceptFilter | undefined {
	return (
		filters && {
			kinds: filters.kind,
			types: filters.type,
			tags: filters.tags,
			publishedAfter: filters.published_after,
			publishedBefore: filters.published_before,
			trust: filters.trust_tier,
		}
	);
}
