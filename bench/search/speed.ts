import { systemClock } from "../../src/core/clock.js";
import type { Graph } from "../../src/knowledge/graph.js";
import { findConcepts } from "../../src/search/find-concepts.js";
import { buildLexicalSegment } from "../../src/search/index-builder.js";
import { createIndexState, toScopes } from "../../src/search/index-state.js";
import { createLocalDenseSide } from "../../src/search/local-dense-side.js";
import type { ModelLocation } from "../../src/search/model-folder.js";
import { toPassages } from "../../src/search/passages.js";
import { POOL } from "../../src/search/ranking.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import type { SegmentVectors } from "../../src/search/segment.js";
import { createTransformersEmbedder } from "../../src/search/transformers-embedder.js";
import { round } from "../figures.js";
import { createSeededNumbers, generateGraph, generateQueries } from "../generated-graph.js";
import { createMiniSearch, createOrama, documentsOf, type KeywordEngine } from "./other-engines.js";
import { inTemporaryFolder } from "./our-index.js";

const DIMENSIONS = 256;
const LIMIT = 10;
const QUERIES = 1_000;
/** The others take milliseconds to seconds a query. */
const OTHERS_QUERIES = 100;
const OTHERS_CONCEPTS_MAX = 100_000;

interface EngineCost {
	readonly build_seconds: number;
	readonly cpu_ms_per_query: number;
	readonly heap_and_buffers_mb: number;
}

export interface SpeedReport {
	readonly concepts: number;
	readonly passages: number;
	/** Everything but the model: ranking, decision and rows. */
	readonly ours: EngineCost;
	readonly minisearch?: EngineCost;
	readonly orama?: EngineCost;
}

/** Cost per query at one size. The vectors are noise: what a scan costs does not depend on what they mean. */
export async function measureSpeed(concepts: number): Promise<SpeedReport> {
	const graph = generateGraph("generated", concepts);
	const queries = generateQueries(QUERIES + LIMIT);
	const vectors = noiseVectors(graph);
	const ours = await costOf(queries, QUERIES, async () => {
		const random = noiseVector();
		const denseSide = createLocalDenseSide({ find: async () => random() });
		const segment = { ...(await buildLexicalSegment(graph)), vectors };
		const region = denseSide.add(vectors);
		const parts = [{ segment, concepts: graph.concepts, vectors: region }];
		const state = createIndexState([{ graph, parts }]);
		const scopes = toScopes(state, [graph]);
		const ready = [{ vectors: region, base: 0, mask: undefined }];
		return async (query) => {
			const request = { query, limit: LIMIT };
			const hits = await denseSide.search({ query, scopes: ready, count: POOL });
			const dense = hits && { hits, cosineOf: denseSide.cosineOf };
			findConcepts({ scopes, request, dense, clock: systemClock });
		};
	});
	const passages = vectors.scales.length;
	if (concepts > OTHERS_CONCEPTS_MAX) return { concepts, passages, ours };
	const documents = documentsOf([graph]);
	const other = (make: () => KeywordEngine | Promise<KeywordEngine>) =>
		costOf(queries, OTHERS_QUERIES, async () => {
			const engine = await make();
			return (query) => void engine.search(query, LIMIT);
		});
	const minisearch = await other(() => createMiniSearch(documents));
	const orama = await other(() => createOrama(documents));
	return { concepts, passages, ours, minisearch, orama };
}

async function costOf(
	queries: readonly string[],
	count: number,
	build: () => Promise<(query: string) => unknown>,
): Promise<EngineCost> {
	const memoryBefore = usedBytes();
	const buildStart = performance.now();
	const ask = await build();
	const buildSeconds = (performance.now() - buildStart) / 1_000;
	const memory = usedBytes() - memoryBefore;
	for (const query of queries.slice(0, LIMIT)) await ask(query);
	const before = process.cpuUsage();
	for (const query of queries.slice(LIMIT, LIMIT + count)) await ask(query);
	const { user, system } = process.cpuUsage(before);
	return {
		build_seconds: round(buildSeconds, 2),
		cpu_ms_per_query: round((user + system) / 1_000 / count, 3),
		heap_and_buffers_mb: Math.round(memory / 1_048_576),
	};
}

/** After a collection where `--expose-gc` allows one. */
function usedBytes(): number {
	globalThis.gc?.();
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return heapUsed + arrayBuffers;
}

function noiseVectors(graph: Graph): SegmentVectors {
	const next = createSeededNumbers(7);
	const starts = new Uint32Array(graph.concepts.length + 1);
	graph.concepts.forEach((concept, index) => {
		starts[index + 1] = (starts[index] ?? 0) + toPassages(concept).length;
	});
	const count = starts.at(-1) ?? 0;
	const rows = new Int8Array(count * DIMENSIONS).map(() => Math.floor(next() * 255) - 127);
	const scales = new Float32Array(count).fill(1 / 1_200);
	const embedder = {
		id: "noise",
		sha256: "0".repeat(64),
		dimensions: DIMENSIONS,
		pooling: "mean" as const,
	};
	return { embedder, starts, rows, scales };
}

function noiseVector(): () => Float32Array {
	const next = createSeededNumbers(11);
	return () => {
		const vector = Float32Array.from({ length: DIMENSIONS }, () => next() - 0.5);
		const length = Math.hypot(...vector);
		return vector.map((component) => component / length);
	};
}

export interface ModelSpeed {
	readonly load_ms: number;
	readonly ms_per_query: number;
	readonly ms_per_passage: number;
	/** From an index on disk to the first hybrid answer over 10,000 concepts. */
	readonly cold_start_ms: number;
}

const MODEL_CONCEPTS = 10_000;
const MODEL_PASSAGES = 2_000;

/** What the model costs, and how soon a process that finds its index on disk answers. */
export async function measureModel(model: ModelLocation): Promise<ModelSpeed> {
	const graph = generateGraph("generated", MODEL_CONCEPTS);
	const loadStart = performance.now();
	const embedder = await createTransformersEmbedder({ clock: systemClock, model });
	await embedder.embed(["first"], "query");
	const loadMs = performance.now() - loadStart;
	const queries = generateQueries(300);
	const queryStart = performance.now();
	for (const query of queries) await embedder.embed([query], "query");
	const queryMs = (performance.now() - queryStart) / queries.length;
	const passages = graph.concepts.flatMap(toPassages).slice(0, MODEL_PASSAGES);
	const passageStart = performance.now();
	await embedder.embed(passages, "passage");
	const passageMs = (performance.now() - passageStart) / passages.length;
	await embedder.close();
	return {
		load_ms: Math.round(loadMs),
		ms_per_query: round(queryMs, 3),
		ms_per_passage: round(passageMs, 3),
		cold_start_ms: await measureColdStart(graph, model),
	};
}

async function measureColdStart(graph: Graph, model: ModelLocation): Promise<number> {
	return inTemporaryFolder(async (folder) => {
		const first = await createSearchEngine({ folder, clock: systemClock, model });
		await first.sync([graph]);
		await first.close();
		const start = performance.now();
		const engine = await createSearchEngine({ folder, clock: systemClock, model });
		await engine.sync([graph]);
		const signal = new AbortController().signal;
		const [query = ""] = generateQueries(1);
		await engine.find({ graphs: [graph], query, limit: LIMIT, signal });
		const coldMs = performance.now() - start;
		await engine.close();
		return Math.round(coldMs);
	});
}
