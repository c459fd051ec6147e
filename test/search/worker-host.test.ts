import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createWorkerHost, workerFailure } from "../../src/search/model/worker-host.js";

const SCRIPT = `
import { parentPort, workerData } from "node:worker_threads";
Atomics.store(workerData.loading, 0, 0);
Atomics.notify(workerData.loading, 0);
parentPort.on("message", ({ id, text, close }) => {
	if (close) return parentPort.close();
	if (text === "crash") throw new Error("The worker broke down");
	if (text === "hang") for (;;);
	if (text === "refuse") return parentPort.postMessage({ id, error: "no such text" });
	parentPort.postMessage({ id, length: text.length, start: workerData.start });
});
`;

function startHost(t: Test, clock: Clock = systemClock) {
	const folder = t.testdir({ "worker.mjs": SCRIPT });
	let starts = 0;
	const ended: number[] = [];
	const host = createWorkerHost({
		clock,
		failed: workerFailure("The embedding model gave no vectors"),
		script: pathToFileURL(join(folder, "worker.mjs")),
		prepare() {
			const start = ++starts;
			return { data: { start }, dispose: () => ended.push(start) };
		},
	});
	t.teardown(() => host.close());
	const ask = (text: string) => host.request<{ length: number; start: number }>({ text });
	return { host, ask, ended };
}

t.test("answers come back to the caller who asked", async (t) => {
	const { ask } = startHost(t);
	const answers = await Promise.all([ask("a"), ask("cc")]);
	t.same(
		answers.map(({ length }) => length),
		[1, 2],
	);
});

t.test("a refused text fails its own request only", async (t) => {
	const { ask } = startHost(t);
	await t.rejects(ask("refuse"), { code: "UNAVAILABLE", message: /no such text/ });
	t.equal((await ask("a")).length, 1);
});

t.test(
	"a crash fails what was under way; after a rest the worker is back with fresh data",
	async (t) => {
		let now = 0;
		const { ask, ended } = startHost(t, { ...systemClock, monotonicMs: () => now });
		const lost = [ask("crash"), ask("a")];
		for (const request of lost) await t.rejects(request, { code: "UNAVAILABLE" });
		await t.rejects(ask("a"), { message: /not running/ });
		now += 300;
		t.same(await ask("a"), { length: 1, start: 2 });
		t.same(ended, [1], "what the first one had is disposed of");
	},
);

t.test("a worker that does not answer in time is ended and starts again", async (t) => {
	let now = 0;
	const tasks: (() => void)[] = [];
	const { ask, ended } = startHost(t, {
		...systemClock,
		monotonicMs: () => now,
		after(_, task) {
			tasks.push(task);
			return () => undefined;
		},
	});
	await ask("a");
	const lost = [ask("hang"), ask("b")];
	tasks.at(-2)?.();
	for (const request of lost) {
		await t.rejects(request, { code: "UNAVAILABLE", message: /did not answer in time/ });
	}
	now += 300;
	t.equal((await ask("a")).length, 1, "another one is started meanwhile");
	t.same(ended, [], "the late one is given time to end itself");
	tasks.at(-2)?.();
	while (ended.length === 0) await setImmediate();
	t.same(ended, [1]);
});

t.test("a closed host starts nothing any more", async (t) => {
	const { host, ask, ended } = startHost(t);
	await ask("a");
	await host.close();
	t.same(ended, [1]);
	await t.rejects(ask("a"), { code: "UNAVAILABLE" });
});

/** Its worker answers while it is being closed, and ends some time after. */
const PROCESS_THAT_CLOSES = `
import { systemClock } from ${JSON.stringify(new URL("../../src/kernel/clock.js", import.meta.url))};
import { createWorkerHost, workerFailure } from ${JSON.stringify(new URL("../../src/search/model/worker-host.js", import.meta.url))};

const script = \`
import { parentPort, workerData } from "node:worker_threads";
Atomics.store(workerData.loading, 0, 0);
parentPort.on("message", ({ id, close }) => {
	if (close) setTimeout(() => parentPort.close(), 300);
	else setTimeout(() => parentPort.postMessage({ id }), 50);
});
\`;
const host = createWorkerHost({
	clock: systemClock,
	failed: workerFailure("It failed"),
	script: new URL("data:text/javascript," + encodeURIComponent(script)),
	prepare: () => ({ data: {}, dispose: () => undefined }),
});
const answered = host.request({}).then(() => console.log("answered"));
await host.close();
await answered;
console.log("closed");
`;

t.test("closing is waited for, even when the last answer comes meanwhile", async (t) => {
	const folder = t.testdir({ "closing.mjs": PROCESS_THAT_CLOSES });
	const { stdout, status } = spawnSync(process.execPath, [join(folder, "closing.mjs")], {
		encoding: "utf8",
		env: { ...process.env, NODE_OPTIONS: "" },
	});
	t.strictSame({ stdout, status }, { stdout: "answered\nclosed\n", status: 0 });
});
