import type { GraphCatalog } from "../knowledge/catalog.js";
import type { ExpertProfile, GraphRecord } from "../knowledge/graph.js";
import type { HybridSearch, SearchRequest } from "../search/search.js";
import { createPerRevision } from "./per-revision.js";

export interface ExpertItem {
	readonly agent_id: string;
	readonly name: string;
	readonly headline: string;
	readonly topics: readonly string[];
	readonly graphs: readonly string[];
	readonly is_ai_twin: boolean;
	readonly disclosure: string;
	/** 0..1, comparable within one answer only. */
	readonly score: number;
}

export interface ExpertRosterDeps {
	readonly catalog: GraphCatalog;
	readonly search: HybridSearch;
}

/** Concepts looked at per question; enough for the best desks to show, whatever the roster's size. */
const ROWS_LOOKED_AT = 50;
const WEIGHT_OF_CONTENT = 0.6;
const WORD = /[\p{L}\p{N}]+/gu;
const MIN_WORD_CHARS = 2;

/**
 * Finds expert desks for a topic or question: by what their graphs say, and by name, headline and topics.
 * Answers with profiles only; what a desk knows stays for sale.
 */
export function createExpertRoster({ catalog, search }: ExpertRosterDeps) {
	const profileWords = createPerRevision(
		() => [catalog.revision],
		(id) => wordsOf(catalog.get(id).record),
	);
	return async (
		query: string,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly ExpertItem[]> => {
		const graphs = catalog.list({ type: "expert" });
		if (graphs.length === 0) return [];
		const byContent = await scoreByContent(search, { graphs, query, signal });
		const words = toWords(query);
		return graphs
			.flatMap(({ record }) => {
				if (!record.expert) return [];
				const content = byContent.get(record.id) ?? 0;
				const profile = shareOf(words, profileWords(record.id));
				const score = WEIGHT_OF_CONTENT * content + (1 - WEIGHT_OF_CONTENT) * profile;
				return score > 0 ? [toItem(record, record.expert, score)] : [];
			})
			.sort((a, b) => b.score - a.score || (a.agent_id < b.agent_id ? -1 : 1))
			.slice(0, limit);
	};
}

/** Best score of each graph's concepts, 0 for graphs without a hit. */
async function scoreByContent(
	search: HybridSearch,
	request: Pick<SearchRequest, "graphs" | "query" | "signal">,
): Promise<ReadonlyMap<string, number>> {
	const { rows } = await search.find({ ...request, limit: ROWS_LOOKED_AT });
	const best = new Map<string, number>();
	for (const { graph, score } of rows) {
		best.set(graph.record.id, Math.max(best.get(graph.record.id) ?? 0, score));
	}
	return best;
}

/** Words of a desk's name, headline, title and topics. */
function wordsOf({ expert, title, topics }: GraphRecord): ReadonlySet<string> {
	return toWords([expert?.name, expert?.headline, title, ...topics].join(" "));
}

/** Share of the question's words that a desk's profile contains. */
function shareOf(words: ReadonlySet<string>, own: ReadonlySet<string>): number {
	if (words.size === 0) return 0;
	return [...words].filter((word) => own.has(word)).length / words.size;
}

function toWords(text: string): ReadonlySet<string> {
	const words = text.toLowerCase().match(WORD) ?? [];
	return new Set(words.filter((word) => word.length >= MIN_WORD_CHARS));
}

function toItem(record: GraphRecord, expert: ExpertProfile, score: number): ExpertItem {
	return {
		agent_id: expert.agentId,
		name: expert.name,
		headline: expert.headline,
		topics: record.topics,
		graphs: [record.id],
		is_ai_twin: expert.isAiTwin,
		disclosure: expert.disclosure,
		score: Math.round(Math.min(1, score) * 1000) / 1000,
	};
}
