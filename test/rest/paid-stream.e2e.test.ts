import { getEventListeners } from "node:events";
import { get } from "node:http";
import t from "tap";
import { created, evidence, moneyOf, open, readText, startStream } from "./start-stream.js";

t.test(
	"the price is captured before the first event leaves, and events are not buffered",
	async (t) => {
		let finish = () => undefined as unknown;
		const { testApp, url } = await startStream(t, async function* () {
			yield created;
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
		t.match(first, /id: 1\nevent: research.created\ndata: \{"n":0\}/);
		t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
		t.equal(response.headers["x-cost-usd"], "0.50");
		t.equal(response.headers["cache-control"], "private, no-store, no-transform");
		finish();
		t.match(
			await readText(response),
			/event: research.evidence\ndata: \{"n":2\}\n\nid: 4\nevent: research.usage\ndata: \{"cost":\{[^\n]+\n\n$/,
		);
	},
);

t.test(
	"a payer who leaves early is charged once and leaves no hold, no work and no listener",
	async (t) => {
		let ended = () => undefined as unknown;
		const workEnded = new Promise<void>((resolve) => {
			ended = resolve;
		});
		let listeners: (() => number) | undefined;
		const { testApp, url } = await startStream(t, async function* (_input, { signal }) {
			listeners = () => getEventListeners(signal, "abort").length;
			try {
				for (let n = 1; ; n += 1) {
					yield evidence(n);
					await new Promise((resolve) => setTimeout(resolve, 5));
				}
			} finally {
				ended();
			}
		});
		const { token, id } = await testApp.issueSpt("1.00");
		const response = await open(url, token);
		await new Promise((resolve) => response.once("data", resolve));
		response.destroy();
		await workEnded;
		await new Promise((resolve) => setTimeout(resolve, 20));
		t.same(await moneyOf(testApp, id), { balance: 500_000n, holds: 0 });
		t.equal(listeners?.(), 0);
	},
);

t.test("a payer who leaves before there is evidence pays nothing", async (t) => {
	let begun = () => undefined as unknown;
	const hasBegun = new Promise<void>((resolve) => {
		begun = resolve;
	});
	const { testApp, url } = await startStream(t, async function* () {
		yield created;
		begun();
		await new Promise((resolve) => setTimeout(resolve, 50));
		yield evidence(1);
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const request = get(url, { headers: { "X-Pay-SPT": token }, agent: false });
	request.on("error", () => undefined);
	await hasBegun;
	request.destroy();
	await new Promise((resolve) => setTimeout(resolve, 120));
	t.same(await moneyOf(testApp, id), { balance: 1_000_000n, holds: 0 });
});

t.test("a stream that fails, or ends without evidence, costs nothing", async (t) => {
	const { testApp, url } = await startStream(t, async function* (input) {
		yield created;
		if ((input as { query: string }).query === "y") throw new Error("broken");
	});
	const { token, id } = await testApp.issueSpt("1.00");
	const silent = await open(url, token);
	t.equal(silent.statusCode, 200);
	t.equal(silent.headers["x-cost-usd"], "0.00");
	t.match(await readText(silent), /research.created/);
	const failed = await open(url.replace("query=x", "query=y"), token);
	t.equal(failed.statusCode, 500);
	t.notMatch(await readText(failed), /broken|research/);
	t.same(await moneyOf(testApp, id), { balance: 1_000_000n, holds: 0 });
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
