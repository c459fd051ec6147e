import http from "node:http";
import t from "tap";
import { conceptOf, graphWith } from "../knowledge/reading/random-graph.js";
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

t.test("fifty replays of one export that nobody reads take the room of one", async (t) => {
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
