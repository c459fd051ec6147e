/** Measures search: quality on a retrieval development set that lies beside the repository, cost on generated concepts. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { systemClock } from "../src/core/clock.js";
import type { Concept, Graph } from "../src/knowledge/graph.js";
import { PACKAGE_ROOT } from "../src/package-root.js";
import type { Embedder } from "../src/search/embedder.js";
import { buildLexicalSegment, embedGraph } from "../src/search/index-builder.js";
import { createIndexState, type IndexState, toScopes } from "../src/search/index-state.js";
import type { ModelLocation } from "../src/search/model-folder.js";
import { readQuery } from "../src/search/query-words.js";
import { rankConcepts } from "../src/search/ranking.js";
import { createSearchEngine } from "../src/search/search-engine.js";
import { createTransformersEmbedder } from "../src/search/transformers-embedder.js";

interface DevQuery {
	readonly q: string;
	readonly rel: readonly string[];
}

const DEV_FOLDER = join(PACKAGE_ROOT, "..", "shared", "data", "dev");
const BUNDLED: ModelLocation = {
	folder: join(PACKAGE_ROOT, "models", "bundled"),
	sums: "required",
};
const GENERATED_CONCEPTS = 10_000;
const GENERATED_QUERIES = 2_000;
const CONCURRENCY = 16;
const CUTOFF = 10;

const isJson = process.argv.includes("--json");
const report = { quality: await measureQuality(), cost: await measureCost() };
process.stdout.write(isJson ? `${JSON.stringify(report)}\n` : `${toText(report)}\n`);

/** nDCG@10 of either side and of both; undefined when the development set is not at hand. */
async function measureQuality() {
	if (!existsSync(DEV_FOLDER)) {
		process.stderr.write(
			"The development set is not here (../shared/data/dev): quality is skipped.\n",
		);
		return undefined;
	}
	const passages = readLines<{ id: string; text: string }>("dev-docs.jsonl.gz");
	const queries = readLines<DevQuery>("dev-queries.jsonl.gz");
	const graph = toGraph(
		"dev",
		passages.map(({ id, text }) => toConcept(id, "", text)),
	);
	const embedder = await createTransformersEmbedder({
		clock: systemClock,
		model: BUNDLED,
	});
	const state = await buildState(graph, embedder);
	const vectors = await embedder.embed(
		queries.map(({ q }) => q),
		"passage",
	);
	await embedder.close();
	const sums = { lexical: 0, dense: 0, fused: 0 };
	queries.forEach((query, index) => {
		const vector = vectors[index] ?? new Float32Array();
		sums.lexical += ndcg(query, rank(state, graph, query.q));
		sums.fused += ndcg(query, rank(state, graph, query.q, vector));
		// Without words the lexical side is silent, and the order is that of the vectors.
		sums.dense += ndcg(query, rank(state, graph, "", vector));
	});
	return {
		queries: queries.length,
		passages: passages.length,
		lexical: round(sums.lexical / queries.length),
		dense: round(sums.dense / queries.length),
		fused: round(sums.fused / queries.length),
	};
}

async function buildState(graph: Graph, embedder: Embedder): Promise<IndexState> {
	const segment = await buildLexicalSegment(graph);
	const vectors = await embedGraph(graph, {
		embedder,
		goesOn: () => true,
		onConcepts: () => undefined,
	});
	return createIndexState([{ ...segment, vectors }]);
}

function rank(state: IndexState, graph: Graph, query: string, vector?: Float32Array): string[] {
	const words = readQuery(query);
	const ranked = rankConcepts({ state, scopes: toScopes(state, [graph]), words, vector });
	return ranked.slice(0, CUTOFF).map(({ concept }) => graph.concepts[concept]?.id ?? "");
}

function ndcg({ rel }: DevQuery, ids: readonly string[]): number {
	const gain = (position: number) => 1 / Math.log2(position + 2);
	const found = ids.reduce((sum, id, position) => sum + (rel.includes(id) ? gain(position) : 0), 0);
	const ideal = rel.slice(0, CUTOFF).reduce((sum, _, position) => sum + gain(position), 0);
	return ideal === 0 ? 0 : found / ideal;
}

/** Time and processor time of hybrid queries over generated concepts, every query a new one. */
async function measureCost() {
	const random = createGenerator(7);
	const concepts = Array.from({ length: GENERATED_CONCEPTS }, (_, number) =>
		toConcept(`concept-${number}`, random.words(5), random.words(120)),
	);
	const graph = toGraph("generated", concepts);
	const folder = await mkdtemp(join(tmpdir(), "search-bench-"));
	const engine = await createSearchEngine({ folder, clock: systemClock, model: BUNDLED });
	const startedAt = performance.now();
	await engine.sync([graph]);
	const indexSeconds = (performance.now() - startedAt) / 1_000;
	const signal = new AbortController().signal;
	const ask = () => engine.find({ graphs: [graph], query: random.words(6), limit: CUTOFF, signal });
	for (let warm = 0; warm < 200; warm++) await ask();
	const cpuBefore = process.cpuUsage();
	const before = performance.now();
	let mainMs = 0;
	for (let asked = 0; asked < GENERATED_QUERIES; asked += CONCURRENCY) {
		const outcomes = await Promise.all(Array.from({ length: CONCURRENCY }, ask));
		for (const { timings } of outcomes) mainMs += (timings["search"] ?? 0) + (timings["rank"] ?? 0);
	}
	const seconds = (performance.now() - before) / 1_000;
	const cpu = process.cpuUsage(cpuBefore);
	const { mode } = engine.status();
	await engine.close();
	await rm(folder, { recursive: true });
	const cpuMs = (cpu.user + cpu.system) / 1_000 / GENERATED_QUERIES;
	return {
		mode,
		concepts: GENERATED_CONCEPTS,
		index_seconds: round(indexSeconds),
		queries_per_second: Math.round(GENERATED_QUERIES / seconds),
		queries_per_core_second: Math.round(1_000 / cpuMs),
		cpu_ms_per_query: round(cpuMs),
		main_thread_ms_per_query: round(mainMs / GENERATED_QUERIES),
	};
}

/** Text with the word frequencies of natural language, the same on every run. */
function createGenerator(seed: number) {
	let state = seed;
	const next = () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
	const syllables = ["ka", "to", "ri", "men", "sol", "ver", "du", "lin", "pa", "stor", "ex", "cho"];
	const word = () => {
		let rank = Math.floor(20_000 ** next());
		let text = "";
		for (; rank > 0; rank = Math.floor(rank / syllables.length)) {
			text += syllables[rank % syllables.length];
		}
		return text;
	};
	return { words: (count: number) => Array.from({ length: count }, word).join(" ") };
}

function toConcept(id: string, title: string, body: string): Concept {
	return {
		id,
		path: `${id}.md`,
		type: "Concept",
		title,
		summary: "",
		body,
		tags: [],
		aliases: [],
		evidence: [],
		edges: [],
		trust: "unverified",
		status: "stable",
		generatedAt: undefined,
		staleAfter: undefined,
	};
}

function toGraph(id: string, concepts: readonly Concept[]): Graph {
	const record = {
		id,
		slug: id,
		title: id,
		type: "domain" as const,
		version: "1",
		updated: "2026-01-01",
		description: "",
		about: "",
		topics: [],
		exampleQueries: [],
		curator: undefined,
		expert: undefined,
		analyst: undefined,
	};
	return { record, concepts, folder: "", contentHash: "0".repeat(64) };
}

function readLines<T>(name: string): T[] {
	const text = gunzipSync(readFileSync(join(DEV_FOLDER, name))).toString("utf8");
	return text
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line) as T);
}

function toText(value: object): string {
	return JSON.stringify(value, null, "  ");
}

function round(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
