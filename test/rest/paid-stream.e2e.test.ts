import { getEventListeners, once } from "node:events";
import { get } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { STREAM_LIMITS } from "../../src/contract/limits.js";
import { createGate } from "../support/gate.js";
import {
	dataOf,
	evidence,
	moneyOf,
	open,
	planned,
	readEvents,
	readText,
	startStream,
} from "./start-stream.js";

t.test(
	"the price is captured before the first event leaves, and events are not buffered",
	async (t) => {
		let finish = () => undefined as unknown;
		const { testApp, url } = await startStream(t, async function* () {
			yield planned;
			yield evidence(1);
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			yield evidence(2);
		});
		const { token, id } = await testApp.issueSpt("1.00");
		const startedMs = performance.now();
		const response = await open(url, token);
		const first = await new Promise<string>((resolve) =>
			response.once("data", (chunk) => resolve(String(chunk))),
		);
		const firstMs = performance.now() - startedMs;
		t.comment(`the first event came after ${firstMs.toFixed(0)} ms; the work has not ended yet`);
		t.match(first, /^retry: 3000\nid: 1\nevent: research.created\ndata: /);
		t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
		t.equal(response.headers["x-cost-usd"], "0.50");
		t.equal(response.headers["cache-control"], "private, no-store, no-transform");
		finish();
		const rest = readEvents(await readText(response));
		t.same(rest.map(({ id, event }) => [id, event]).slice(-3), [
			[4, "research.evidence"],
			[5, "research.usage"],
			[6, "research.completed"],
		]);
	},
);

t.test(
	"a payer who leaves early is charged once; what was paid for is finished, and leaves no listener",
	async (t) => {
		let finish = () => undefined as unknown;
		let listeners: (() => number) | undefined;
		const { testApp, callerLeft, url } = await startStream(t, async function* (_input, { signal }) {
			listeners = () => getEventListeners(signal, "abort").length;
			yield evidence(1);
			await new Promise<void>((resolve) => {
				finish = resolve;
			});
			yield evidence(2);
		});
		const { token, id } = await testApp.issueSpt("1.00");
		const response = await open(url, token);
		const first = String(await new Promise((resolve) => response.once("data", resolve)));
		const left = callerLeft();
		response.destroy();
		await left;
		finish();
		const again = await open(url, token, { "X-Pay-SPT": token, "Last-Event-ID": "2" });
		const rest = readEvents(await readText(again));
		t.match(first, /id: 1\n/);
		t.same(
			rest.map((event) => [event.id, event.event]),
			[
				[3, "research.evidence"],
				[4, "research.usage"],
				[5, "research.completed"],
			],
		);
		t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
		t.equal(listeners?.(), 0);
	},
);

t.test("a stream without end is ended, and says so", async (t) => {
	const { testApp, url } = await startStream(t, async function* () {
		for (let n = 1; ; n += 1) yield evidence(n);
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const events = readEvents(await readText(await open(url, token)));
	t.equal(events.at(-1)?.event, "research.failed");
	t.match(events.at(-1)?.data, { error: { code: "UNAVAILABLE", retryable: true } });
	t.equal(events.length, 1_002);
	t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
});

t.test("a service that stops ends its streams with a word", async (t) => {
	const { testApp, url, streams } = await startStream(t, async function* () {
		yield evidence(1);
		await new Promise(() => undefined);
	});
	const { token } = await testApp.issueSpt("1.00");
	const reading = readText(await open(url, token));
	await streams.stop();
	const names = readEvents(await reading).map(({ event }) => event);
	t.same(names.slice(-2), ["research.usage", "research.cancelled"]);
});

t.test("a payer who leaves before there is evidence pays nothing", async (t) => {
	const gate = createGate();
	const { testApp, callerLeft, url } = await startStream(t, async function* () {
		yield planned;
		await gate.pass();
		yield evidence(1);
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const request = get(url, { headers: { "X-Pay-SPT": token }, agent: false });
	request.on("error", () => undefined);
	await gate.arrived;
	const left = callerLeft();
	request.destroy();
	await left;
	gate.open();
	while ((await moneyOf(testApp, id)).holds > 0) await nextTurn();
	t.same(await moneyOf(testApp, id), { balance: 1_000_000n, holds: 0 });
});

t.test("a stream that fails, or ends without evidence, costs nothing", async (t) => {
	const { testApp, url } = await startStream(t, async function* (input) {
		yield planned;
		if ((input as { query: string }).query === "y") throw new Error("broken");
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const silent = await open(url, token);
	t.equal(silent.statusCode, 200);
	t.equal(silent.headers["x-cost-usd"], "0.00");
	t.match(dataOf(await readText(silent), "research.completed"), { is_answered: false });
	const failed = await open(url.replace("query=x", "query=y"), token);
	t.equal(failed.statusCode, 500);
	t.notMatch(await readText(failed), /broken|research/);
	t.same(await moneyOf(testApp, id), { balance: 1_000_000n, holds: 0 });
});

t.test("an owner has so many streams at once, and who may not begin takes no place", async (t) => {
	const finish = new AbortController();
	const { testApp, url } = await startStream(t, async function* () {
		yield evidence(1);
		if (!finish.signal.aborted) await once(finish.signal, "abort");
	});
	const { token, id } = await testApp.issueSpt("9.00");
	for (let n = 0; n < STREAM_LIMITS.ownerRunningMax; n++) {
		t.equal((await open(url, token)).statusCode, 200);
	}
	const before = await moneyOf(testApp, id);
	for (let n = 0; n < 2; n++) {
		const refused = await open(url, token);
		t.equal(refused.statusCode, 429);
		t.match(await readText(refused), /streams of yours/);
	}
	t.same(await moneyOf(testApp, id), before);
	const poor = await testApp.issueSpt("0.10");
	t.equal((await open(url, poor.token)).statusCode, 402);
	const other = await testApp.issueSpt("1.00");
	t.equal((await open(url, other.token)).statusCode, 200);
	finish.abort();
	let status: number | undefined;
	do status = (await open(url, token)).statusCode;
	while (status === 429);
	t.equal(status, 200);
});

t.test("without a credential a stream answers 402 and does not begin", async (t) => {
	let hasBegun = false;
	const { url } = await startStream(t, async function* () {
		hasBegun = true;
		yield evidence(1);
	});
	const response = await fetch(url);
	t.equal(response.status, 402);
	t.match(await response.json(), { error: { code: "PAYMENT_REQUIRED" } });
	t.equal(hasBegun, false);
});
