import type { GraphCatalog } from "../knowledge/catalog.js";
import type { ExpertProfile, Graph, GraphRecord } from "../knowledge/graph.js";
import type { HybridSearch } from "../search/search.js";

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
	return async (query: string, limit: number): Promise<readonly ExpertItem[]> => {
		const graphs = catalog.list({ type: "expert" });
		if (graphs.length === 0) return [];
		const byContent = await scoreByContent(search, graphs, query);
		const words = toWords(query);
		return graphs
			.flatMap(({ record }) => {
				if (!record.expert) return [];
				const content = byContent.get(record.id) ?? 0;
				const profile = scoreByProfile(record, record.expert, words);
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
	graphs: readonly Graph[],
	query: string,
): Promise<ReadonlyMap<string, number>> {
	const { rows } = await search.find({
		graphs,
		query,
		limit: ROWS_LOOKED_AT,
		signal: new AbortController().signal,
	});
	const best = new Map<string, number>();
	for (const { graph, score } of rows) {
		best.set(graph.record.id, Math.max(best.get(graph.record.id) ?? 0, score));
	}
	return best;
}

/** Share of the question's words that name, headline, title or topics contain. */
function scoreByProfile(
	record: GraphRecord,
	expert: ExpertProfile,
	words: ReadonlySet<string>,
): number {
	if (words.size === 0) return 0;
	const own = toWords([expert.name, expert.headline, record.title, ...record.topics].join(" "));
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
