import t from "tap";
import { dial, messageOf } from "../a2a/grpc-client.js";
import { ask, rpc } from "../a2a/raw-rpc.js";
import { searchMessage } from "../a2a/stock-client.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { otlpTo, parseSeries, type Span, startCollector, startMeasured } from "./measured-shop.js";

const traceParent = (digit: string, flag = "01") =>
	`00-${digit.repeat(32)}-${digit.repeat(16)}-${flag}`;

const attribute = ({ attributes }: Span, key: string) =>
	attributes.find((one) => one.key === key)?.value.stringValue;

/** Names from a span up to the one that has no parent here. */
function pathOf(spans: readonly Span[], span: Span): readonly string[] {
	const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
	return parent ? [span.name, ...pathOf(spans, parent)] : [span.name];
}

t.test("a collector is sent metrics, and a trace of each call that its caller began", async (t) => {
	const collector = await startCollector(t);
	const shop = await startMeasured(t, otlpTo(collector.endpoint), {
		settings: { model: "table" },
	});
	const { token } = await shop.issueSpt("5.00");
	const headers = { traceparent: traceParent("a") };
	t.equal((await shop.search({ token, headers })).status, 200);
	const paid = { traceparent: traceParent("b"), ...shop.payment(500_000n) };
	t.equal((await shop.search({ headers: paid })).status, 200);
	t.equal((await shop.search({ headers: { traceparent: traceParent("c") } })).status, 402);
	t.equal(
		(await shop.search({ token, headers: { traceparent: traceParent("d", "00") } })).status,
		200,
	);
	t.equal((await shop.search({ token, headers: { traceparent: "nonsense" } })).status, 200);
	const stream = `/v1/research/stream?${new URLSearchParams({ query: KNOWN_QUERY })}`;
	await shop.send(stream, { headers: { "X-Pay-SPT": token, traceparent: traceParent("e") } });
	await shop.close();

	const all = collector.spans();
	const of = (digit: string) => all.filter(({ traceId }) => traceId === digit.repeat(32));
	const [root] = of("a").filter(({ name }) => name === "call graphs.search");
	t.equal(root?.parentSpanId, "a".repeat(16), "it goes on with the caller's span");
	const paths = new Set(of("a").map((span) => pathOf(of("a"), span).join(" < ")));
	for (const path of [
		"identify < call graphs.search",
		"admission < call graphs.search",
		"store transaction < admission < call graphs.search",
		"work < call graphs.search",
		"search find < work < call graphs.search",
		"encoder < search find < work < call graphs.search",
		"judge < search find < work < call graphs.search",
		"capture < call graphs.search",
		"store transaction < capture < call graphs.search",
	]) {
		t.ok(paths.has(path), path);
	}
	t.equal(root && attribute(root, "tollgraph.outcome"), "answered");
	const settled = of("b").map(({ name }) => name);
	t.ok(settled.includes("facilitator verify") && settled.includes("facilitator settle"));
	const [refused] = of("c").filter(({ name }) => name === "call graphs.search");
	t.equal(refused && attribute(refused, "error.type"), "PAYMENT_REQUIRED");
	t.notOk(refused?.status?.code, "a refusal is no failure of ours");
	t.same(of("d"), [], "whose caller left it out");
	t.equal(
		all.filter(({ name, parentSpanId }) => name === "call graphs.search" && !parentSpanId).length,
		1,
		"what is no traceparent begins a trace of our own",
	);
	t.ok(of("e").some((span) => pathOf(of("e"), span).includes("work")));
	for (const name of ["tollgraph_calls_total", "tollgraph_index_concepts"]) {
		t.ok(collector.metricNames().has(name), name);
	}
	t.match(collector.received[0]?.headers, {
		"content-type": "application/json",
		"x-collector-key": "known-to-us-alone",
	});
});

t.test("A2A, gRPC and MCP go on with a caller's trace as REST does", async (t) => {
	const collector = await startCollector(t);
	const grpc = { port: 0, tls: undefined, publicUrl: undefined };
	const shop = await startMeasured(t, otlpTo(collector.endpoint), { settings: { grpc } });
	const { token } = await shop.issueSpt("5.00");
	const { key } = await shop.app.operator.createKey({ usd: "5.00" });
	const headersOf = (digit: string) => ({ "X-Pay-SPT": token, traceparent: traceParent(digit) });
	const input = { graph_id: "agent-payments", query: KNOWN_QUERY };
	const params = ask({ skill: "graph_search", input });
	const task = await rpc(shop.baseUrl, { params, headers: headersOf("a") });
	t.equal(task.status, 200);
	const told = await dial(t, String(shop.grpcUrl))(
		"sendMessage",
		messageOf(searchMessage(KNOWN_QUERY)),
		{ headers: Object.fromEntries(Object.entries(headersOf("b"))) },
	);
	t.not(told.code, 16);
	const tool = await shop.send("/mcp", {
		method: "POST",
		headers: {
			...{ "X-API-Key": key, traceparent: traceParent("c") },
			"Content-Type": "application/json",
			Accept: "application/json, text/event-stream",
		},
		body: JSON.stringify({
			...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
			params: { name: "search_graph", arguments: input },
		}),
	});
	t.equal(tool.status, 200);
	await shop.close();
	const calls = collector.spans().filter(({ name }) => name === "call graphs.search");
	t.same(calls.map((span) => [span.traceId[0], attribute(span, "tollgraph.transport")]).sort(), [
		["a", "a2a"],
		["b", "a2a"],
		["c", "mcp"],
	]);
});

t.test("none of what identifies a caller, or was asked, leaves with it", async (t) => {
	const collector = await startCollector(t);
	const metrics = { host: "127.0.0.1", port: 0 };
	const shop = await startMeasured(t, { ...otlpTo(collector.endpoint), metrics });
	const { token, id } = await shop.issueSpt("40.00");
	const { key, account_id } = await shop.app.operator.createKey({ usd: "5.00" });
	const marks = {
		...{ "Idempotency-Key": "canary-retry-key", "X-Request-Id": "canary-request-id" },
		"User-Agent": "canary-agent",
		tracestate: "canary=state",
		traceparent: traceParent("f"),
	};
	const query = "canaryword Which HTTP status code asks for payment?";
	await shop.search({ token, headers: marks, body: { query } });
	await shop.search({ headers: { ...marks, "X-API-Key": key }, body: { query } });
	await shop.search({ headers: { ...marks, ...shop.payment(500_000n) }, body: { query } });
	await shop.search({ token, graph: "canary-graph", headers: marks });
	await shop.search({ token, body: { query, canaryfield: "canaryvalue" } });
	await shop.search({ token: `${token.slice(0, -4)}zzzz` });
	await shop.send("/v1/canary-path?canary=1", { method: "GET" });
	const dive = await shop.send("/v1/research/deep-dive", {
		method: "POST",
		headers: { "Content-Type": "application/json", "X-Pay-SPT": token, ...marks },
		body: JSON.stringify({ query }),
	});
	const scraped = await (await fetch(String(shop.metricsUrl))).text();
	await shop.close();
	const sent = collector.received.map(({ text }) => text).join("\n");
	t.ok(parseSeries(scraped).length > 100);
	t.ok(collector.spans().length > 20);
	const { job_id } = dive.body.data;
	const owners = [token, id, key, account_id, shop.wallet.address, job_id].map(String);
	for (const secret of [...owners, ...owners.map((one) => one.slice(-8)), "canary"]) {
		const isThere = (text: string) => text.toLowerCase().includes(secret.toLowerCase());
		t.notOk(isThere(scraped), `${secret.slice(0, 6)}… in a scrape`);
		t.notOk(isThere(sent), `${secret.slice(0, 6)}… at the collector`);
	}
});

t.test("a share of none leaves metrics alone", async (t) => {
	const collector = await startCollector(t);
	const shop = await startMeasured(t, otlpTo(collector.endpoint, 0));
	await shop.search({ headers: { traceparent: traceParent("a") } });
	await shop.close();
	t.same(collector.spans(), []);
	t.ok(collector.metricNames().has("tollgraph_calls_total"));
});
