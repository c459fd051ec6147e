import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { ModelLocation } from "../../src/search/model/model-folder.js";
import { createSearchEngine, type SearchEngine } from "../../src/search/search-engine.js";
import { round } from "../figures.js";
import { generateTextGraph, generateTextQueries } from "./generated-texts.js";
import { inTemporaryFolder } from "./our-index.js";
import { GRAPH_ID, readPrepared } from "./prepared-data.js";
import { costOfQueries, type QueryCost, usedMb } from "./query-cost.js";
import { createWordSums } from "./word-sums.js";

export interface HybridInput {
	readonly model: ModelLocation;
	/** A prepared data folder, or how many short texts to index on the spot, with sums of word vectors. */
	readonly data: { readonly folder: string } | { readonly shortTexts: number };
	readonly queries: number;
}

export interface HybridCost extends QueryCost {
	/** With so many queries under way; no query is asked twice. */
	readonly crowd_queries_per_second: number;
	readonly crowd: number;
	readonly crowd_cpu_ms_per_query: number;
	/** From a process with the graph in memory to an engine that answers from both sides. */
	readonly open_seconds: number;
	readonly index_mb: number;
}

const LIMIT = 10;
const CROWD = 16;

/** What a whole hybrid answer costs in process, the model's own work included. */
export async function measureHybrid({ model, data, queries }: HybridInput): Promise<HybridCost> {
	if ("folder" in data) {
		const graph = await readPrepared(data.folder);
		return measure(graph, queries, () =>
			createSearchEngine({ folder: join(data.folder, "index"), clock: systemClock, model }),
		);
	}
	const graph = generateTextGraph(GRAPH_ID, data.shortTexts, "short");
	const embedder = await createWordSums(model);
	return inTemporaryFolder((folder) =>
		measure(graph, queries, () =>
			createSearchEngine({ folder, clock: systemClock, model: embedder }),
		),
	);
}

async function measure(
	graph: Graph,
	count: number,
	open: () => Promise<SearchEngine>,
): Promise<HybridCost> {
	const memoryBefore = usedMb();
	const start = performance.now();
	const engine = await open();
	await engine.sync([graph]);
	const openSeconds = round((performance.now() - start) / 1_000, 2);
	const indexMb = usedMb() - memoryBefore;
	const { signal } = new AbortController();
	const ask = async (query: string) => {
		const { mode } = await engine.find({ graphs: [graph], query, limit: LIMIT, signal });
		if (mode !== "hybrid") throw new Error("A query was answered by keywords only.");
	};
	const queries = generateTextQueries(2 * count);
	const alone = await costOfQueries(queries.slice(0, count), ask);
	const crowd = await askInCrowd(queries.slice(count), ask);
	await engine.close();
	return {
		...alone,
		...crowd,
		open_seconds: openSeconds,
		index_mb: indexMb,
	};
}

async function askInCrowd(queries: readonly string[], ask: (query: string) => Promise<void>) {
	let next = 0;
	const before = process.cpuUsage();
	const start = performance.now();
	const caller = async () => {
		for (let index = next++; index < queries.length; index = next++)
			await ask(queries[index] ?? "");
	};
	await Promise.all(Array.from({ length: CROWD }, caller));
	const seconds = (performance.now() - start) / 1_000;
	const { user, system } = process.cpuUsage(before);
	return {
		crowd: CROWD,
		crowd_queries_per_second: round(queries.length / seconds, 0),
		crowd_cpu_ms_per_query: round((user + system) / 1_000 / queries.length, 4),
	};
}
