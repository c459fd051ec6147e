import t, { type Test } from "tap";
import { INDEX_LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import type { Graph } from "../../src/knowledge/model/graph.js";
import type { IndexLimits, ReindexProgress } from "../../src/search/index/segment-set.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { createSearchEngine, type SearchEngine } from "../../src/search/search-engine.js";
import { createMemoryDisk } from "./memory-disk.js";
import { createCountingEmbedder, sampleConcept, sampleGraph } from "./sample-graph.js";

const concepts = Array.from({ length: 40 }, (_, at) =>
	sampleConcept(`c${at}`, { title: `Concept of topic${at}` }),
);
const GRAPH = sampleGraph("live", concepts);
const withNew = (title: string) =>
	sampleGraph("live", [...concepts, sampleConcept("new", { title })]);

async function start(t: Test, model: Embedder, limits: Partial<IndexLimits> = {}) {
	const disk = createMemoryDisk();
	const engine = await createSearchEngine({
		folder: disk,
		clock: systemClock,
		model,
		limits: { ...INDEX_LIMITS, ...limits },
	});
	t.teardown(() => engine.close());
	await engine.sync([GRAPH]);
	return { engine, disk };
}

const find = (engine: SearchEngine, graph: Graph, query: string) =>
	engine.find({ graphs: [graph], query, limit: 3, signal: new AbortController().signal });

t.test(
	"a change is seen with its vectors as soon as the keyword side is: the mode never drops",
	async (t) => {
		const embedder = createCountingEmbedder();
		const { engine } = await start(t, embedder);
		const before = embedder.passages();
		const graph = withNew("Glaciers that calve");
		await engine.sync([graph], { vectors: "background" });
		const { rows, mode } = await find(engine, graph, "glaciers calve");
		t.match({ mode, id: rows[0]?.concept.id }, { mode: "hybrid", id: "new" });
		t.equal(embedder.passages() - before, 1);
	},
);

t.test("a model that fails or takes too long does not hold up a change", async (t) => {
	const embedder = createCountingEmbedder();
	let go = (): void => undefined;
	const gate = new Promise<void>((resolve) => {
		go = resolve;
	});
	let isSlow = false;
	const slow: Embedder = {
		...embedder,
		async embed(texts, lane) {
			if (isSlow && lane === "passage") await gate;
			return embedder.embed(texts, lane);
		},
	};
	const { engine } = await start(t, slow, { liveVectorsMs: 5 });
	const alive = setInterval(() => undefined, 1_000); // The clock's own timers keep no process alive.
	t.teardown(() => clearInterval(alive));
	isSlow = true;
	const graph = withNew("Glaciers that calve");
	await engine.sync([graph], { vectors: "background" });
	t.equal(engine.status().pendingVectors, 1);
	const { rows, mode } = await find(engine, graph, "glaciers calve");
	t.match({ mode, id: rows[0]?.concept.id }, { mode: "keyword", id: "new" });
	const waiting = engine.sync([graph]);
	go();
	await waiting;
	t.equal((await find(engine, graph, "glaciers calve")).mode, "hybrid");

	embedder.fail(true);
	const other = withNew("Icebergs that drift");
	await engine.sync([other], { vectors: "background" });
	t.equal(engine.status().pendingVectors, 1);
	embedder.fail(false);
	t.equal((await find(engine, other, "icebergs drift")).rows[0]?.concept.id, "new");
});

t.test("many single changes leave few segments, and embed nothing twice", async (t) => {
	const embedder = createCountingEmbedder();
	const { engine, disk } = await start(t, embedder, { deltaDocuments: 6, segmentsMax: 4 });
	const before = embedder.passages();
	let graph = GRAPH;
	for (let change = 0; change < 60; change++) {
		const place = (change * 7) % graph.concepts.length;
		const added = sampleConcept(`n${change}`, { title: `Addition of theme${change}` });
		const rest = graph.concepts.filter((_, at) => at !== place || change % 3 > 0);
		graph = sampleGraph("live", [...rest, added]);
		await engine.sync([graph], { vectors: "background" });
		t.equal((await find(engine, graph, `theme${change}`)).rows[0]?.concept, added);
	}
	await engine.sync([graph]);
	t.equal(embedder.passages() - before, 60);
	const { segments = 0, tombstones = 0, concepts: count } = engine.status();
	t.ok(segments <= 6, `${segments} segments`);
	t.ok(tombstones <= count / 3, `${tombstones} tombstones`);
	const stored = [...disk.files.keys()].filter((name) => name.endsWith(".segment"));
	t.equal(stored.length, engine.status().segments, "no file is left behind");
});

t.test("what is not searched for changes without being derived again", async (t) => {
	const embedder = createCountingEmbedder();
	const { engine } = await start(t, embedder);
	const before = embedder.passages();
	const reviewed = { ...(concepts[3] ?? sampleConcept("c3")), trust: "human-reviewed" as const };
	const graph = sampleGraph("live", concepts.with(3, reviewed));
	await engine.sync([graph]);
	t.equal(embedder.passages(), before);
	const { rows } = await find(engine, graph, "topic3");
	t.equal(rows[0]?.concept, reviewed);
	t.match(engine.status(), { segments: 1, tombstones: 0 });
});

t.test("a graph whose every file was read again costs no vector", async (t) => {
	const embedder = createCountingEmbedder();
	const { engine } = await start(t, embedder);
	const before = embedder.passages();
	const again = concepts.map((concept) => ({ ...concept }));
	const graph = { ...sampleGraph("live", again), contentHash: "of-another-version" };
	await engine.sync([graph]);
	t.equal(embedder.passages(), before);
	t.equal((await find(engine, graph, "topic3")).rows[0]?.concept, again[3]);
});

t.test("progress reports the words first and then the vectors, each up to its total", async (t) => {
	const { engine } = await start(t, createCountingEmbedder(), { segmentDocuments: 16 });
	const seen: ReindexProgress[] = [];
	await engine.sync([GRAPH], { rebuild: true, onProgress: (progress) => seen.push(progress) });
	const stages = [...new Set(seen.map(({ stage }) => stage))];
	t.same(stages, ["keywords", "vectors"]);
	for (const stage of stages) {
		const done = seen.filter((progress) => progress.stage === stage).map((one) => one.done);
		t.same(
			done,
			done.toSorted((a, b) => a - b),
			`${stage} never go back`,
		);
		t.equal(done.at(-1), concepts.length);
	}
	t.ok(seen.every(({ total }) => total === concepts.length));
});
