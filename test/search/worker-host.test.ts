import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { type Clock, systemClock } from "../../src/core/clock.js";
import { createBatchLane } from "../../src/search/batch-lane.js";
import { createWorkerHost } from "../../src/search/worker-host.js";

const SCRIPT = `
import { parentPort, workerData } from "node:worker_threads";
Atomics.store(workerData.loading, 0, 0);
Atomics.notify(workerData.loading, 0);
parentPort.on("message", ({ id, texts, close }) => {
	if (close) return parentPort.close();
	if (texts[0] === "crash") throw new Error("The worker broke down");
	if (texts[0] === "hang") for (;;);
	if (texts[0] === "refuse") return parentPort.postMessage({ id, error: "no such text" });
	parentPort.postMessage({ id, vectors: Float32Array.from(texts, (text) => text.length) });
});
`;

function startHost(t: Test, clock: Clock = systemClock) {
	const folder = t.testdir({ "worker.mjs": SCRIPT });
	const host = createWorkerHost({
		clock,
		script: pathToFileURL(join(folder, "worker.mjs")),
		workerData: {},
	});
	t.teardown(() => host.close());
	return host;
}

t.test("answers come back to whoever asked", async (t) => {
	const host = startHost(t);
	const answers = await Promise.all([host.request(["a", "bbb"]), host.request(["cc"])]);
	t.same(
		answers.map((vectors) => [...vectors]),
		[[1, 3], [2]],
	);
});

t.test("a refused text fails its own request only", async (t) => {
	const host = startHost(t);
	const refused = host.request(["refuse"]);
	await t.rejects(refused, { code: "UNAVAILABLE", message: /no such text/ });
	t.same([...(await host.request(["a"]))], [1]);
});

t.test("a crash fails what was under way; after a rest the worker is back", async (t) => {
	let now = 0;
	const host = startHost(t, { ...systemClock, monotonicMs: () => now });
	const lost = [host.request(["crash"]), host.request(["a"])];
	for (const request of lost) await t.rejects(request, { code: "UNAVAILABLE" });
	await t.rejects(host.request(["a"]), { message: /not running/ });
	now += 300;
	t.same([...(await host.request(["a"]))], [1]);
});

t.test("a worker that does not answer in time is ended and starts anew", async (t) => {
	let now = 0;
	const tasks: (() => void)[] = [];
	const host = startHost(t, {
		...systemClock,
		monotonicMs: () => now,
		after(_, task) {
			tasks.push(task);
			return () => undefined;
		},
	});
	await host.request(["a"]);
	const lost = [host.request(["hang"]), host.request(["b"])];
	tasks.at(-2)?.();
	for (const request of lost) {
		await t.rejects(request, { code: "UNAVAILABLE", message: /did not answer in time/ });
	}
	now += 300;
	t.same([...(await host.request(["a"]))], [1]);
});

t.test("a closed host starts nothing any more", async (t) => {
	const host = startHost(t);
	await host.request(["a"]);
	await host.close();
	await t.rejects(host.request(["a"]), { code: "UNAVAILABLE" });
});

t.test("texts that arrive while a batch is away leave together, at most so many", async (t) => {
	const batches: number[] = [];
	const lane = createBatchLane({
		dimensions: 1,
		maxBatchTexts: 4,
		maxWaitingTexts: 10,
		async send(texts) {
			batches.push(texts.length);
			return Float32Array.from(texts, Number);
		},
	});
	const first = lane.embed("0");
	await Promise.resolve();
	const others = Array.from({ length: 9 }, (_, index) => lane.embed(String(index + 1)));
	const values = (await Promise.all([first, ...others])).map(([value]) => value);
	t.same(values, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	t.same(batches, [1, 4, 4, 1]);
});

t.test(
	"a crowd beyond the bound is refused at once, and vectors of a wrong size are no vectors",
	async (t) => {
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		const lane = createBatchLane({
			dimensions: 2,
			maxBatchTexts: 1,
			maxWaitingTexts: 1,
			send: async () => {
				await gate;
				return new Float32Array(1);
			},
		});
		const first = lane.embed("a");
		await Promise.resolve();
		const second = lane.embed("b");
		await t.rejects(lane.embed("c"), { code: "UNAVAILABLE", message: /already wait/ });
		release();
		await t.rejects(first, { message: /unexpected size/ });
		await t.rejects(second, { message: /unexpected size/ });
	},
);
