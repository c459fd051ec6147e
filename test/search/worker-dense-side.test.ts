import t, { type Test } from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import {
	type DenseHits,
	QUERY_PATIENCE_MS,
	watchEmbedder,
} from "../../src/search/dense/dense-side.js";
import type { VectorRegion } from "../../src/search/dense/vector-regions.js";
import { createWorkerDenseSide } from "../../src/search/dense/worker-dense-side.js";
import { cosinesOf, randomSegment, randomVector } from "./random-vectors.js";
import { createCountingEmbedder } from "./sample-graph.js";
import { startStandInModel } from "./stand-in-model.js";

interface Start {
	readonly dimensions?: number;
	readonly pagesMax?: number;
}

function startSide(t: Test, { dimensions = 32, ...limits }: Start = {}) {
	let now = 0;
	const timers = new Set<{ readonly delayMs: number; readonly task: () => void }>();
	const clock: Clock = {
		...systemClock,
		monotonicMs: () => now,
		after(delayMs, task) {
			const timer = { delayMs, task };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
	};
	/** Fires what is due in so many milliseconds. */
	const pass = (ms: number) => {
		now += ms;
		for (const { delayMs, task } of [...timers]) if (delayMs <= ms) task();
	};
	const identity = { id: "random", sha256: "", dimensions, pooling: "mean" as const };
	const { thread, host } = startStandInModel({ clock, identity, ...limits });
	t.teardown(() => host.close());
	const embedder = watchEmbedder(clock, createCountingEmbedder());
	const side = createWorkerDenseSide(clock, embedder, thread);
	const next = createSeededNumbers(3);
	const segment = (documents = 40) => randomSegment(next, { documents, dimensions });
	const vector = () => randomVector(next, dimensions);
	const ask = (query: string | Float32Array, regions: readonly VectorRegion[], count = 5) => {
		const text = typeof query === "string" ? query : JSON.stringify([...query]);
		const scopes = regions.map((vectors, index) => ({
			vectors,
			base: index * 1_000,
			mask: undefined,
		}));
		return side.search({ query: text, scopes, count });
	};
	return { side, thread, embedder, segment, vector, ask, pass };
}

/** The best documents by plain arithmetic. */
function bestOf(query: Float32Array, vectors: ReturnType<typeof randomSegment>, count: number) {
	return cosinesOf(query, vectors)
		.map((cosine, slot) => ({ cosine, slot }))
		.filter(({ cosine }) => cosine > 0)
		.sort((a, b) => b.cosine - a.cosine || a.slot - b.slot)
		.slice(0, count)
		.map(({ slot }) => slot);
}

t.test(
	"a thread that breaks down costs its queries the vectors; the next one sees the same regions",
	async (t) => {
		const { side, embedder, segment, vector, ask, pass } = startSide(t);
		const vectors = segment();
		const region = side.add(vectors);
		const query = vector();
		const expected = bestOf(query, vectors, 5);
		t.same((await ask(query, [region]))?.slots, expected);
		t.equal(embedder.failure(), undefined);
		t.same(await Promise.all([ask("crash", [region]), ask(vector(), [region])]), [
			undefined,
			undefined,
		]);
		t.match(embedder.failure(), /broke down/);
		t.equal(await ask(vector(), [region]), undefined, "it rests");
		pass(300);
		t.same((await ask(query, [region]))?.slots, expected);
		t.equal(embedder.failure(), undefined);
	},
);

t.test(
	"a model that does not answer lets queries go on by keywords and is replaced in the end",
	async (t) => {
		const { side, embedder, segment, vector, ask, pass } = startSide(t);
		const region = side.add(segment());
		await ask(vector(), [region]);
		const lost = [ask("wait", [region]), ask("crash", [region])];
		await Promise.resolve();
		pass(QUERY_PATIENCE_MS + 1);
		t.same(await Promise.all(lost), [undefined, undefined]);
		t.match(embedder.failure(), /wait too long/);
		pass(30_000);
		await new Promise((resolve) => setImmediate(resolve));
		pass(300);
		t.ok(
			await ask(vector(), [region]),
			"what waited with the lost one was not sent to the new thread",
		);
	},
);

t.test("a query whose asker has left is not sent", async (t) => {
	const { side, segment, vector, ask } = startSide(t);
	const region = side.add(segment());
	const first = ask(vector(), [region]);
	const leaving = new AbortController();
	const scopes = [{ vectors: region, base: 0, mask: undefined }];
	await Promise.resolve();
	await Promise.resolve();
	const gone = side.search({ query: "crash", scopes, count: 5, signal: leaving.signal });
	leaving.abort();
	t.ok(await first);
	t.equal(await gone, undefined);
	t.ok(await ask(vector(), [region]), "and the thread lives");
});

t.test("vectors of another size are no vectors", async (t) => {
	const { side, embedder, segment, vector, ask } = startSide(t);
	const region = side.add(segment());
	t.equal(await ask("short", [region]), undefined);
	t.match(embedder.failure(), /unexpected size/);
	t.ok(await ask(vector(), [region]));
});

t.test(
	"a full memory refuses further vectors with a sentence; what is there is searched",
	async (t) => {
		const { side, segment, vector, ask } = startSide(t, { pagesMax: 4 });
		const vectors = segment();
		const region = side.add(vectors);
		t.throws(() => side.add(segment(9_000)), {
			code: "UNAVAILABLE",
			message: /memory for vectors is full/,
		});
		const query = vector();
		t.same((await ask(query, [region]))?.slots, bestOf(query, vectors, 5));
	},
);

t.test("a query asked again is not embedded again", async (t) => {
	const { side, segment, vector, ask } = startSide(t);
	const [one, other] = [segment(), segment()];
	const regions = [side.add(one), side.add(other)] as const;
	const query = vector();
	const first = await ask(query, [regions[0]]);
	const second = await ask(query, [regions[1]]);
	t.equal(second?.vector, first?.vector);
	t.same(second?.slots, bestOf(query, other, 5));
});

t.test("more lists of scopes than are remembered, asked for at once and again", async (t) => {
	const { side, segment, vector, ask } = startSide(t);
	const graphs = Array.from({ length: 150 }, () => segment(8));
	const regions = graphs.map((vectors) => side.add(vectors));
	const query = vector();
	const slotsOf = (hits: DenseHits | undefined) => hits?.slots;
	for (let round = 0; round < 2; round++) {
		const found = await Promise.all(regions.map((region) => ask(query, [region])));
		t.same(
			found.map(slotsOf),
			graphs.map((vectors) => bestOf(query, vectors, 5)),
		);
	}
});

t.test("a region that is let go stays in place for the searches under way", async (t) => {
	const { side, thread, segment, vector, ask } = startSide(t);
	const vectors = segment();
	const idle = thread.regions.used();
	const region = side.add(vectors);
	const query = vector();
	const running = ask(query, [region]);
	side.release(region);
	const other = side.add(segment());
	t.same((await running)?.slots, bestOf(query, vectors, 5));
	side.release(other);
	const scratch = thread.regions.used() - idle;
	t.ok(scratch < 60_000, "nothing is left but what the thread works with");
});

t.test("a width without a kernel is searched in JavaScript, in the thread as well", async (t) => {
	const { side, segment, vector, ask } = startSide(t, { dimensions: 20 });
	const vectors = segment();
	const region = side.add(vectors);
	const query = vector();
	t.same((await ask(query, [region]))?.slots, bestOf(query, vectors, 5));
});

t.test("a memory that has grown since the thread started is seen by it", async (t) => {
	const { side, segment, vector, ask } = startSide(t);
	const query = vector();
	await ask(query, [side.add(segment(5))]);
	const vectors = segment(3_000);
	const region = side.add(vectors);
	t.same((await ask(query, [region], 3))?.slots.slice(0, 1), bestOf(query, vectors, 1));
});
