import http from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import t from "tap";
import { conceptOf, graphWith } from "../skills/reading/random-graph.js";
import { startApp } from "../support/start-app.js";

const NODES = 210;
const BODY = "Tides follow the moon. ".repeat(2_000);
const MB = 1024 * 1024;

/** Sends the request and never reads the answer's body. */
function askAndWait(url: string, headers: Record<string, string>) {
	return new Promise<http.IncomingMessage>((resolve, reject) => {
		http
			.get(url, { agent: false, headers }, (res) => {
				res.pause();
				resolve(res);
			})
			.on("error", reject);
	});
}

t.test("fifty replays of one export that no client reads take the room of one", async (t) => {
	const app = await startApp(t, { settings: { model: "none", catalog: "none" } });
	const concepts = Array.from({ length: NODES }, (_, at) => conceptOf(`c.n${at}`, { body: BODY }));
	app.app.catalog.put(graphWith(concepts));
	const { token } = await app.issueSpt("25.00");
	const headers = { "X-Pay-SPT": token, "Idempotency-Key": "whole-graph" };
	const path = "/v1/graphs/tides/export?format=ndjson";
	const paid = await app.send(path, { headers });
	t.equal(paid.status, 200);
	t.equal(paid.body.meta.cost.amount_usd, "2.50");
	t.equal(Buffer.byteLength(paid.body.data.content), paid.body.data.bytes);
	t.ok(paid.body.data.bytes > 9 * MB);

	globalThis.gc?.();
	const before = process.memoryUsage().rss;
	const waiting = await Promise.all(
		Array.from({ length: 50 }, () => askAndWait(`${app.baseUrl}${path}`, headers)),
	);
	t.ok(waiting.every(({ statusCode }) => statusCode === 200));
	const grown = process.memoryUsage().rss - before;
	t.ok(grown < 150 * MB, `${Math.round(grown / MB)} MB for fifty replays`);
	for (const response of waiting) response.destroy();
	const balance = await app.send("/v1/spt/balance", { headers: { "X-Pay-SPT": token } });
	t.equal(balance.body.data.balance_usd, "22.50");
});

t.test("the free plan covers the export of one page of nodes, and of no more", async (t) => {
	const app = await startApp(t, {
		settings: { model: "none", catalog: "none", accounts: "open" },
	});
	const concepts = (count: number) =>
		Array.from({ length: count }, (_, at) => conceptOf(`c.n${at}`));
	app.app.catalog.put(graphWith(concepts(50), "page"));
	app.app.catalog.put(graphWith(concepts(51), "larger"));
	const opened = await app.send("/v1/accounts", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: "{}",
	});
	const [key = ""] = /sk_test_[\w-]+/.exec(JSON.stringify(opened.body)) ?? [];
	const headers = { "X-API-Key": key };
	const small = await app.send("/v1/graphs/page/export?format=csv", { headers });
	t.match(small, { status: 200, body: { meta: { cost: { charged: false } } } });
	const large = await app.send("/v1/graphs/larger/export?format=csv", { headers });
	t.equal(large.status, 402);
	t.equal(large.body.price?.amount_usd ?? "1.00", "1.00");
});

t.test("an export whose caller leaves is not paid for", async (t) => {
	const app = await startApp(t, { settings: { model: "none", catalog: "none" } });
	const concepts = Array.from({ length: NODES }, (_, at) => conceptOf(`c.n${at}`, { body: BODY }));
	app.app.catalog.put(graphWith(concepts));
	const { token } = await app.issueSpt("25.00");
	const headers = { "X-Pay-SPT": token };
	const caller = new AbortController();
	const left = app.send("/v1/graphs/tides/export?format=graphml", {
		headers,
		signal: caller.signal,
	});
	const holds = () => app.app.store.read(async (reader) => (await reader.list("holds")).length);
	while ((await holds()) === 0) await nextTurn();
	caller.abort();
	await t.rejects(left, { name: "AbortError" });
	for (let held = "?"; held !== "0.00"; ) {
		const { body } = await app.send("/v1/spt/balance", { headers });
		held = body.data.held_usd;
		if (held === "0.00") t.equal(body.data.balance_usd, "25.00");
	}
});
