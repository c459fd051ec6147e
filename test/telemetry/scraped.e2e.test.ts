import { request } from "node:http";
import { networkInterfaces } from "node:os";
import t from "tap";
import { listSeriesNames, METRICS } from "../../src/telemetry/metrics.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import {
	type MeasuredShop,
	parseSeries,
	SCRAPED,
	scrape,
	startMeasured,
	sumOf,
	UNKNOWN_QUERY,
} from "./measured-shop.js";

const JSON_TYPE = { "Content-Type": "application/json" };

const post = (shop: MeasuredShop, path: string, body: object, headers: Record<string, string>) =>
	shop.send(path, {
		method: "POST",
		headers: { ...JSON_TYPE, ...headers },
		body: JSON.stringify(body),
	});

async function untilEnded(shop: MeasuredShop, id: string, headers: Record<string, string>) {
	for (let tries = 0; tries < 1_000; tries++) {
		const { body } = await shop.send(`/v1/research/deep-dive/status/${id}`, { headers });
		if (["completed", "failed"].includes(body.data.status)) return body.data.status;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
	throw new Error("the job did not end");
}

t.test("a scrape counts paid, unanswered, unpaid and refused calls, and their holds", async (t) => {
	const shop = await startMeasured(t, SCRAPED);
	const { token } = await shop.issueSpt("1.00");
	t.equal((await shop.search({ token })).status, 200);
	const empty = await shop.search({ token, body: { query: UNKNOWN_QUERY } });
	t.match(empty.body.meta.cost, { charged: false });
	t.equal((await shop.search()).status, 402);
	t.equal((await shop.search({ token: (await shop.issueSpt("0.10")).token })).status, 402);
	t.equal((await shop.search({ token, graph: "no-such-graph" })).status, 404);

	const series = parseSeries(await scrape(shop));
	const search = { operation: "graphs.search", transport: "rest" };
	const calls = (outcome: string) => sumOf(series, "tollgraph_calls_total", { ...search, outcome });
	t.same(["answered", "no_answer", "challenged", "refused"].map(calls), [1, 1, 1, 2]);
	const refusals = (code: string) =>
		sumOf(series, "tollgraph_refusals_total", { operation: "graphs.search", code });
	t.same(["PAYMENT_REQUIRED", "INSUFFICIENT_BALANCE", "NOT_FOUND"].map(refusals), [1, 1, 1]);
	t.equal(sumOf(series, "tollgraph_holds_total"), 2);
	t.equal(sumOf(series, "tollgraph_captures_total"), 1);
	t.equal(sumOf(series, "tollgraph_releases_total", { reason: "no_answer" }), 1);
	t.equal(sumOf(series, "tollgraph_captured_usd_total"), 0.5);
	for (const stage of ["identify", "admission", "work", "capture", "release"]) {
		const at = { operation: "graphs.search", stage };
		t.ok(sumOf(series, "tollgraph_stage_duration_seconds_count", at), stage);
	}
	t.equal(sumOf(series, "tollgraph_http_request_duration_seconds_count", { status: "404" }), 1);
	t.match(
		await fetch(String(shop.metricsUrl)),
		{ status: 200, headers: new Headers() },
		"it can be read again and again",
	);
});

t.test("every metric of the table is exported once what it measures has happened", async (t) => {
	const shop = await startMeasured(t, SCRAPED, { settings: { model: "table" } });
	const { token } = await shop.issueSpt("40.00");
	const mine = { "X-Pay-SPT": token };
	await shop.search();
	await shop.search({ token });
	await shop.search({ token, body: { query: UNKNOWN_QUERY } });
	await post(shop, "/v1/search/route", { query: KNOWN_QUERY }, mine);
	const paid = await shop.search({ headers: shop.payment(500_000n) });
	t.equal(paid.status, 200);
	const stream = `/v1/research/stream?${new URLSearchParams({ query: KNOWN_QUERY })}`;
	t.equal((await shop.send(stream, { headers: mine })).status, 200);
	const dive = await post(shop, "/v1/research/deep-dive", { query: KNOWN_QUERY }, mine);
	t.equal(await untilEnded(shop, dive.body.data.job_id, mine), "completed");
	const { receipt_id } = (await shop.search({ token })).body.meta.cost;
	await shop.app.operator.refundReceipt({ receipt_id, reason: "a test" });

	const text = await scrape(shop);
	const series = parseSeries(text);
	const names = new Set(series.map(({ name }) => name));
	const known = new Set([...listSeriesNames(), "target_info"]);
	t.same(
		[...names].filter((name) => !known.has(name)),
		[],
		"nothing beside the table",
	);
	// Feeds fail only where they are fetched.
	const quiet = new Set(["tollgraph_feed_failures"]);
	t.same(
		[...known].filter((name) => !names.has(name) && !quiet.has(name)),
		[],
	);
	for (const { name, labels } of series) {
		const metric = METRICS[name.replace(/_(bucket|sum|count)$/, "") as keyof typeof METRICS];
		const allowed: readonly string[] = metric ? [...metric.labels, "le"] : Object.keys(labels);
		t.same(
			Object.keys(labels).filter((label) => !allowed.includes(label)),
			[],
			name,
		);
	}
	t.equal(sumOf(series, "tollgraph_search_mode", { mode: "hybrid" }), 1);
	t.equal(sumOf(series, "tollgraph_store_serving", { store: "journal" }), 1);
	t.equal(sumOf(series, "tollgraph_ledger_sound"), 1);
	t.equal(sumOf(series, "tollgraph_settlements_total"), 1);
	t.equal(sumOf(series, "tollgraph_index_pending_vectors"), 0);
	const concepts = shop.app.catalog.list().flatMap((graph) => graph.concepts).length;
	t.equal(sumOf(series, "tollgraph_index_vectors"), concepts);
	for (const operation of ["research.stream", "research.deep_dive"]) {
		t.equal(sumOf(series, "tollgraph_calls_total", { operation, outcome: "answered" }), 1);
	}
});

t.test("only this machine reaches the port, by an address of its own", async (t) => {
	const shop = await startMeasured(t, SCRAPED);
	const url = new URL(String(shop.metricsUrl));
	t.equal(url.hostname, "127.0.0.1");
	t.equal(url.pathname, "/metrics");
	const others = Object.values(networkInterfaces())
		.flatMap((list) => list ?? [])
		.filter(({ family, internal }) => family === "IPv4" && !internal);
	for (const { address } of others) {
		await t.rejects(fetch(`http://${address}:${url.port}/metrics`), "elsewhere nothing listens");
	}
	t.equal((await fetch(`${shop.baseUrl}/metrics`)).status, 404, "callers' port has none");
	const askedBy = (host: string) =>
		new Promise<number | undefined>((resolve, reject) => {
			request(url, { headers: { Host: host } }, (res) => {
				res.resume();
				resolve(res.statusCode);
			})
				.once("error", reject)
				.end();
		});
	t.equal(await askedBy(`localhost:${url.port}`), 200);
	t.equal(await askedBy(`rebound.example:${url.port}`), 403, "a page by DNS rebinding");
	t.equal((await fetch(new URL("/", url))).status, 404);
	t.equal((await fetch(url, { method: "POST" })).status, 405);
});

t.test("a port that is taken is said before anything is sold", async (t) => {
	const shop = await startMeasured(t, SCRAPED);
	const port = Number(new URL(String(shop.metricsUrl)).port);
	const metrics = { host: "127.0.0.1", port };
	await t.rejects(startMeasured(t, { metrics, otlp: undefined }), {
		code: "UNAVAILABLE",
		message: new RegExp(`${port}`),
	});
});

t.test("the port is closed with the server", async (t) => {
	const shop = await startMeasured(t, SCRAPED);
	await scrape(shop);
	await shop.close();
	await t.rejects(scrape(shop));
});
