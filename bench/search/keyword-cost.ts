import { systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { round } from "../figures.js";
import { generateGraph, generateQueries } from "../generated-graph.js";
import { generateTextGraph, generateTextQueries } from "./generated-texts.js";
import { buildLexicalSide } from "./lexical-side.js";
import { misspellSome } from "./misspelt-queries.js";
import { createMiniSearch, createOrama, documentsOf } from "./other-engines.js";
import { inTemporaryFolder } from "./our-index.js";
import { costOfQueries, type QueryCost, usedMb } from "./query-cost.js";

/**
 * "prose": words as in prose, most of them rare. "few-words": a hundred words that each every fifth concept holds: the worst
 * there is for an inverted index.
 */
export const TEXTS = ["prose", "few-words"] as const;
/**
 * "lexical" is our lexical side alone, which gives what the others give: the ten best. "ours" is a whole answer by keywords:
 * links, decision and rows with their evidence as well.
 */
export const KEYWORD_ENGINES = [
	"lexical",
	"ours",
	"minisearch",
	"minisearch-exact",
	"orama",
] as const;

export interface KeywordInput {
	readonly engine: (typeof KEYWORD_ENGINES)[number];
	readonly texts: (typeof TEXTS)[number];
	readonly concepts: number;
	readonly queries: number;
}

export interface KeywordCost extends QueryCost {
	readonly build_seconds: number;
	/** What the index takes on the heap and in buffers, beside the texts. */
	readonly index_mb: number;
}

const LIMIT = 10;
/** More than this, and texts are short: memory is what limits. */
const LONG_TEXTS_MAX = 250_000;

/** One engine that compares words only, over one graph. Fewer queries are the first of more; every fifth holds a typo. */
export async function measureKeywords(input: KeywordInput): Promise<KeywordCost> {
	const { engine, texts, concepts } = input;
	const length = concepts > LONG_TEXTS_MAX ? "short" : "long";
	const graph =
		texts === "prose"
			? generateTextGraph("generated", concepts, length)
			: generateGraph("generated", concepts);
	const generate = texts === "prose" ? generateTextQueries : generateQueries;
	const queries = misspellSome(generate(input.queries));
	return inTemporaryFolder(async (folder) => {
		const memoryBefore = usedMb();
		const start = performance.now();
		const ask = await build(engine, graph, folder);
		const buildSeconds = round((performance.now() - start) / 1_000, 2);
		const indexMb = usedMb() - memoryBefore;
		return {
			build_seconds: buildSeconds,
			index_mb: indexMb,
			...(await costOfQueries(queries, ask)),
		};
	});
}

async function build(
	engine: KeywordInput["engine"],
	graph: Graph,
	folder: string,
): Promise<(query: string) => unknown> {
	if (engine === "lexical") return buildLexicalSide(graph, LIMIT);
	if (engine === "ours") {
		const ours = await createSearchEngine({ folder, clock: systemClock, model: "none" });
		await ours.sync([graph]);
		const { signal } = new AbortController();
		return (query) => ours.find({ graphs: [graph], query, limit: LIMIT, signal });
	}
	const documents = documentsOf([graph]);
	const other =
		engine === "orama"
			? await createOrama(documents)
			: createMiniSearch(documents, engine === "minisearch" ? "tolerant" : "exact");
	return (query) => other.search(query, LIMIT);
}
