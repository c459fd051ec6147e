import t, { type Test } from "tap";
import { INDEX_LIMITS } from "../../src/contract/limits.js";
import { systemClock } from "../../src/kernel/clock.js";
import type { IndexDisk } from "../../src/search/index/index-folder.js";
import type { Embedder } from "../../src/search/model/embedder.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { createMemoryDisk } from "./memory-disk.js";
import { BOTANY, createCountingEmbedder, sampleConcept, sampleGraph } from "./sample-graph.js";

const LIMITS = { ...INDEX_LIMITS, segmentDocuments: 16, deltaDocuments: 2 };
const pause = (delayMs: number) => new Promise((resolve) => void setTimeout(resolve, delayMs));

const graphOf = (count: number) =>
	sampleGraph(
		"many",
		Array.from({ length: count }, (_, at) => sampleConcept(`c${at}`, { title: `Of topic${at}` })),
	);

/** The system's clock with what is to be done later in the test's hands. */
function createTimers() {
	const later: (() => void)[] = [];
	const after = (delayMs: number, task: () => void) => {
		if (delayMs >= 1_000) later.push(task);
		return () => undefined;
	};
	return { clock: { ...systemClock, after }, later };
}

/** A disk on which writing takes a while, or fails while it is full. */
function createTestDisk(writeMs = 0) {
	const disk = createMemoryDisk();
	const state = { isFull: false };
	const write: IndexDisk["write"] = async (name, pieces) => {
		if (writeMs > 0) await pause(writeMs);
		if (state.isFull) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
		await disk.write(name, pieces);
	};
	return { ...disk, write, state };
}

/** Keeps the process alive although the clock's timers do not. */
function keepAlive(t: Test) {
	const alive = setInterval(() => undefined, 1_000);
	t.teardown(() => clearInterval(alive));
}

t.test("a full disk ends neither a sync nor the embedding, and is tried again", async (t) => {
	const { clock, later } = createTimers();
	const disk = createTestDisk();
	const embedder = createCountingEmbedder();
	const engine = await createSearchEngine({ folder: disk, clock, model: embedder, limits: LIMITS });
	t.teardown(() => engine.close());
	disk.state.isFull = true;
	const graph = graphOf(80);
	await engine.sync([graph]);
	t.match(engine.status(), {
		mode: "hybrid",
		pendingVectors: 0,
		reason: /could not be stored \(ENOSPC\)/,
	});
	t.equal(disk.files.size, 0);
	disk.state.isFull = false;
	for (const task of later.splice(0)) task();
	await engine.sync([graph]);
	t.equal(engine.status().reason, undefined);
	t.ok(disk.files.has("manifest.json"));
	t.equal(embedder.passages(), 80, "nothing is embedded twice");
});

t.test("a disk that works again is written to without a further sync", async (t) => {
	keepAlive(t);
	const { clock, later } = createTimers();
	const disk = createTestDisk();
	disk.state.isFull = true;
	const model = createCountingEmbedder();
	const engine = await createSearchEngine({ folder: disk, clock, model, limits: LIMITS });
	t.teardown(() => engine.close());
	await engine.sync([graphOf(20)]);
	disk.state.isFull = false;
	t.equal(later.length, 1);
	later[0]?.();
	while (engine.status().reason) await pause(2);
	t.equal(engine.status().reason, undefined);
	t.ok(disk.files.has("manifest.json"));
});

t.test("nothing is written once the engine is closed", async (t) => {
	const disk = createTestDisk(5);
	const model = createCountingEmbedder();
	const engine = await createSearchEngine({
		folder: disk,
		clock: systemClock,
		model,
		limits: LIMITS,
	});
	keepAlive(t);
	const syncing = engine.sync([graphOf(60)], { vectors: "background" });
	await syncing;
	await engine.close();
	const before = disk.changes();
	await pause(60);
	t.equal(disk.changes(), before);
});

t.test("closing does not wait for a long keyword build", async (t) => {
	const disk = createMemoryDisk();
	const engine = await createSearchEngine({ folder: disk, clock: systemClock, model: "none" });
	const seen: number[] = [];
	const syncing = engine.sync([graphOf(3_000)], {
		onProgress: ({ done }) => void seen.push(done),
	});
	const outcome = syncing.then(
		() => "done",
		(error: { code?: string }) => error.code,
	);
	while (seen.length === 0) await pause(1);
	await engine.close();
	t.equal(await outcome, "UNAVAILABLE");
	t.ok((seen.at(-1) ?? 0) < 3_000, `${seen.at(-1)} concepts were read`);
	t.equal(disk.changes(), 0);
});

t.test("a sync that a newer one stops resolves once that one has made the vectors", async (t) => {
	keepAlive(t);
	const counting = createCountingEmbedder();
	const slow: Embedder = {
		...counting,
		async embed(texts, lane) {
			await pause(2);
			return counting.embed(texts, lane);
		},
	};
	const engine = await createSearchEngine({
		folder: createMemoryDisk(),
		clock: systemClock,
		model: slow,
	});
	t.teardown(() => engine.close());
	const graph = graphOf(400);
	const first = engine.sync([graph]);
	while (engine.status().concepts === 0) await pause(1);
	await engine.sync([graph, BOTANY], { vectors: "background" });
	await first;
	t.equal(engine.status().pendingVectors, 0);
});

t.test(
	"a start with nothing new writes nothing, whatever is known of the model beside its pin",
	async (t) => {
		const disk = createMemoryDisk();
		const counting = createCountingEmbedder();
		const identity = { ...counting.identity, matryoshka: [16] };
		const changes: number[] = [];
		for (let start = 0; start < 3; start++) {
			const model = { ...counting, identity };
			const engine = await createSearchEngine({ folder: disk, clock: systemClock, model });
			const before = disk.changes();
			await engine.sync([BOTANY]);
			await engine.close();
			changes.push(disk.changes() - before);
		}
		t.same(changes.slice(1), [0, 0]);
	},
);

t.test("a graph may be called like a property that every object has", async (t) => {
	const disk = createMemoryDisk();
	const graph = sampleGraph("constructor", [sampleConcept("a", { title: "Alpha" })]);
	for (const passages of [1 + BOTANY.concepts.length, 0]) {
		const model = createCountingEmbedder();
		const engine = await createSearchEngine({ folder: disk, clock: systemClock, model });
		await engine.sync([BOTANY, graph]);
		t.match(engine.status(), { concepts: 3, reason: undefined });
		t.equal(model.passages(), passages);
		await engine.close();
	}
});
