import { join } from "node:path";
import t from "tap";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import {
	createSearchEngine,
	type IndexStatus,
	modeOf,
	toStatus,
} from "../../src/search/search-engine.js";
import { type CountingEmbedder, createCountingEmbedder, PAYMENTS } from "./sample-graph.js";
import { find, startEngine } from "./start-engine.js";

const WHOLE: IndexStatus = {
	model: { id: "m", sha256: "", dimensions: 2 },
	concepts: 10,
	pendingVectors: 0,
	mode: "hybrid",
};
const SIZES = { segments: 1, tombstones: 0, waiting: 0 };
const WITHOUT_VECTORS = { scopes: [0], dense: undefined };

t.test("an answer by words alone says what it lacks, and why", async (t) => {
	const why = (status: Partial<IndexStatus>, refusal?: string) =>
		modeOf(
			WITHOUT_VECTORS,
			() => ({ ...WHOLE, ...status }),
			() => ({ ...SIZES, refusal }),
		).reason;
	t.match(why({ model: undefined }), /has no embedding model/);
	t.match(why({ pendingVectors: 4 }), /6 of 10 concepts have theirs/);
	t.match(why({}, "The memory is full."), /find room in this server's memory/);
	t.match(why({}), /gave no vector in time/);
	t.same(
		modeOf(
			{ scopes: [0], dense: {} },
			() => WHOLE,
			() => SIZES,
		),
		{ mode: "hybrid" },
	);
});

t.test("the operator reads every cause of keyword answers", async (t) => {
	const concepts = { concepts: 10, problem: "A file is damaged." };
	const status = toStatus({ reason: "No model." }, { ...SIZES, refusal: "Full." }, concepts);
	t.match(status, { mode: "keyword", model: undefined, reason: "No model. A file is damaged." });
});

t.test("a query without a model is answered by keywords and says so", async (t) => {
	const { engine } = await startEngine(t, "none");
	await engine.sync([PAYMENTS]);
	const outcome = await find(engine, [PAYMENTS], "EIP-3009");
	t.match(outcome, { mode: "keyword", decision: "ANSWER", dataStatus: "ENTITY_MATCH" });
	t.match(engine.status(), { mode: "keyword", model: undefined, pendingVectors: 0 });
	t.ok(engine.status().reason);
});

t.test("a missing model folder leaves keyword search and a reason", async (t) => {
	const folder = t.testdir();
	const model = { folder: join(folder, "no-model"), sums: "if-there" } as const;
	const engine = await createSearchEngine({ folder, clock: systemClock, model });
	t.teardown(() => engine.close());
	await engine.sync([PAYMENTS]);
	t.equal((await find(engine, [PAYMENTS], "reserve money")).mode, "keyword");
	t.match(engine.status().reason, /no-model/);
});

t.test("a model that fails leaves vectors pending and keyword answers", async (t) => {
	const embedder = createCountingEmbedder();
	embedder.fail(true);
	const { engine } = await startEngine(t, embedder);
	await engine.sync([PAYMENTS], { vectors: "background" });
	t.match(engine.status(), { mode: "keyword", pendingVectors: PAYMENTS.concepts.length });
	t.equal((await find(engine, [PAYMENTS], "reserve money")).mode, "keyword");
	embedder.fail(false);
	await engine.sync([PAYMENTS]);
	t.match(engine.status(), { mode: "hybrid", pendingVectors: 0 });
	t.equal((await find(engine, [PAYMENTS], "reserve money")).mode, "hybrid");
});

t.test("a model that breaks down while it serves is in the status until it is back", async (t) => {
	const embedder = createCountingEmbedder();
	const { engine } = await startEngine(t, embedder);
	await engine.sync([PAYMENTS]);
	t.match(engine.status(), { mode: "hybrid", reason: undefined });
	embedder.fail(true);
	t.equal((await find(engine, [PAYMENTS], "settle money")).mode, "keyword");
	t.match(engine.status(), { mode: "keyword", reason: /The model is away/, pendingVectors: 0 });
	embedder.fail(false);
	// Anyone who looks makes the engine look again itself.
	for (let look = 0; look < 2; look++) {
		engine.status();
		await new Promise(setImmediate);
	}
	t.match(engine.status(), { mode: "hybrid", reason: undefined });
});

t.test("a query the model sits on is in the status, too", async (t) => {
	let now = 0;
	const tasks: (() => void)[] = [];
	const clock: Clock = {
		...systemClock,
		monotonicMs: () => now,
		after(_, task) {
			tasks.push(task);
			return () => undefined;
		},
	};
	const embedder = createCountingEmbedder();
	const { embed } = embedder;
	const stuck: CountingEmbedder = {
		...embedder,
		embed: (texts, lane) => (lane === "query" ? new Promise(() => undefined) : embed(texts, lane)),
	};
	const { engine } = await startEngine(t, stuck, { clock });
	await engine.sync([PAYMENTS]);
	const search = find(engine, [PAYMENTS], "settle money");
	t.equal(engine.status().mode, "hybrid");
	now += 2_001;
	for (const task of tasks) task();
	t.equal((await search).mode, "keyword");
	t.match(engine.status(), { mode: "keyword", reason: /wait too long/ });
});

t.test("a sync waits for no model that fails; vectors are made later by themselves", async (t) => {
	const tasks: (() => void)[] = [];
	const clock: Clock = {
		...systemClock,
		after(delayMs, task) {
			if (delayMs >= 1_000) tasks.push(task); // Links are built sooner.
			return () => undefined;
		},
	};
	const embedder = createCountingEmbedder();
	embedder.fail(true);
	const { engine } = await startEngine(t, embedder, { clock });
	await engine.sync([PAYMENTS]);
	t.match(engine.status(), { mode: "keyword", pendingVectors: 3, reason: /The model is away/ });
	t.equal(tasks.length, 1);
	embedder.fail(false);
	tasks[0]?.();
	while (engine.status().pendingVectors > 0) await new Promise(setImmediate);
	t.equal((await find(engine, [PAYMENTS], "reserve money")).mode, "hybrid");
});
