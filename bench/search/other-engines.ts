/** What else one could search with, on the same texts: the baselines of every figure here. */
import { create, insertMultiple, search } from "@orama/orama";
import MiniSearch from "minisearch";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { documentId, type Question } from "./question-set.js";

export interface KeywordEngine {
	readonly name: string;
	/** Document ids, best first. */
	search(query: string, limit: number): readonly string[];
}

export interface EngineDocument {
	readonly id: string;
	readonly title: string;
	readonly summary: string;
	readonly body: string;
	readonly tags: string;
}

const FIELDS = ["title", "summary", "body", "tags"] as const;

export function documentsOf(graphs: readonly Graph[]): readonly EngineDocument[] {
	return graphs.flatMap((graph) =>
		graph.concepts.map((concept) => ({
			id: documentId(graph, concept),
			title: concept.title,
			summary: concept.summary,
			body: concept.body,
			tags: [...concept.tags, ...concept.aliases].join(" "),
		})),
	);
}

/**
 * Titles count double. "tolerant" is what its own documentation suggests: prefixes and one typo in five letters match.
 * "exact" finds whole words as they are.
 */
export function createMiniSearch(
	documents: readonly EngineDocument[],
	matching: "tolerant" | "exact" = "tolerant",
): KeywordEngine {
	const isTolerant = matching === "tolerant";
	const index = new MiniSearch<EngineDocument>({
		fields: [...FIELDS],
		searchOptions: { boost: { title: 2 }, prefix: isTolerant, fuzzy: isTolerant && 0.2 },
	});
	index.addAll(documents);
	return {
		name: "minisearch",
		search: (query, limit) =>
			index
				.search(query)
				.slice(0, limit)
				.map(({ id }) => String(id)),
	};
}

export async function createOrama(documents: readonly EngineDocument[]): Promise<KeywordEngine> {
	const schema = {
		id: "string",
		title: "string",
		summary: "string",
		body: "string",
		tags: "string",
	} as const;
	const index = create({ schema });
	await insertMultiple(index, [...documents], documents.length);
	return {
		name: "orama",
		search(query, limit) {
			const found = search(index, {
				term: query,
				limit,
				properties: [...FIELDS],
				boost: { title: 2 },
			});
			if (found instanceof Promise) throw new Error("This index of Orama's answers later.");
			return found.hits.map(({ document }) => String(document.id));
		},
	};
}

/** Ranks within the graphs a question is asked of: the others have no such filter, so they are asked for more. */
export function rankWith(
	engine: KeywordEngine,
	question: Question,
	depth: number,
): readonly string[] {
	const allowed = new Set(question.graphs.map(({ record }) => record.id));
	return engine
		.search(question.query, depth * 20)
		.filter((id) => allowed.has(id.slice(0, id.indexOf(":"))))
		.slice(0, depth);
}
