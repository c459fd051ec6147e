import { join } from "node:path";
import t from "tap";
import { parseUsd } from "../../src/kernel/money.js";
import { manualClock } from "../support/manual-clock.js";
import { KNOWN_QUERY, startApp, type TestApp } from "../support/start-app.js";

const INPUT = { graph_id: "agent-payments", query: KNOWN_QUERY, limit: 3 };
const SEARCH = { operation: "graphs.search", input: INPUT };

const post = (app: TestApp, path: string, body: unknown) =>
	app.send(path, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify(body),
	});

async function quoteOf(app: TestApp, request: object = SEARCH) {
	const { status, body } = await post(app, "/v1/quotes", request);
	if (status !== 200) throw new Error(JSON.stringify(body));
	return body.data;
}

async function balance(app: TestApp, token: string): Promise<string> {
	const { body } = await app.send("/v1/spt/validate", { headers: { "X-Pay-SPT": token } });
	return body.data.balance_usd;
}

t.test("a quoted price stands through a restart and a change of prices", async (t) => {
	const folder = join(t.testdir({}), "data");
	const clock = manualClock("2026-01-31T12:00:00Z");
	const before = await startApp(t, { folder, clock, settings: { model: "none" } });
	const quote = await quoteOf(before);
	t.match(quote, {
		status: "valid",
		operation: "graphs.search",
		amount_usd: "0.50",
		billing_type: "per_call",
		expires_at: "2026-01-31T12:10:00.000Z",
		resource: { method: "POST", url: `${before.baseUrl}/v1/graphs/agent-payments/search` },
	});
	t.match(quote.quote_id, /^qte_/);
	t.ok(quote.pay.length > 0);
	const { token } = await before.issueSpt("5.00");
	await before.close();

	const price = { amountMicros: parseUsd("0.75"), billingType: "per_call" } as const;
	const settings = { model: "none", prices: { "graphs.search": price } };
	const app = await startApp(t, { folder, clock, settings });
	const read = await app.send(`/v1/quotes/${quote.quote_id}`);
	t.match(read.body.data, {
		status: "valid",
		amount_usd: "0.50",
		request_hash: quote.request_hash,
	});
	const headers = { "X-Quote-Id": quote.quote_id };
	const unpaid = await app.search({ headers });
	t.equal(unpaid.status, 402);
	t.equal(unpaid.body.price.amount_usd, "0.50", "the challenge asks for the quoted price");
	const quoted = await app.search({ token, headers });
	t.equal(quoted.status, 200);
	t.equal(quoted.body.meta.cost.amount_usd, "0.50");
	const listed = await app.search({ token });
	t.equal(listed.body.meta.cost.amount_usd, "0.75");
	t.equal(await balance(app, token), "3.75");
});

t.test("a quote buys the one request it was made for, in its time, and nothing else", async (t) => {
	const clock = manualClock("2026-01-31T12:00:00Z");
	const app = await startApp(t, { clock, settings: { model: "none" } });
	const { token } = await app.issueSpt("5.00");
	const { quote_id } = await quoteOf(app);
	const withQuote = (id: string, body: object, graph?: string) =>
		app.search({ token, headers: { "X-Quote-Id": id }, body, ...(graph && { graph }) });
	const { graph_id: _graph, ...body } = INPUT;

	const otherBody = await withQuote(quote_id, { ...body, limit: 4 });
	const otherGraph = await withQuote(quote_id, body, "web-performance");
	const { quote_id: domain } = await quoteOf(app, {
		skill: "domain_search",
		input: { query: KNOWN_QUERY, limit: 3 },
	});
	const otherRoute = await withQuote(domain, body);
	for (const answer of [otherBody, otherRoute]) {
		t.equal(answer.status, 400);
		t.match(answer.body.error, { code: "INVALID_ARGUMENT", message: /is for another request/ });
	}
	t.not(otherGraph.status, 200);

	const [text, mac] = quote_id.split(".");
	const cheap = Buffer.from(text.slice(4), "base64url").toString().replace('"500000"', '"1"');
	const forgeries = [
		`qte_${Buffer.from(cheap).toString("base64url")}.${mac}`,
		`${text}.${"A".repeat(22)}`,
		"qte_no.quote",
		"qte_x",
	];
	for (const forged of forgeries) {
		const answer = await withQuote(forged, body);
		t.match(answer.body.error, { code: "INVALID_ARGUMENT", message: /none of this service's/ });
		t.equal((await app.send(`/v1/quotes/${forged}`)).status, 404);
	}
	t.equal((await withQuote("not a quote", body)).status, 400);

	clock.advance(600_000);
	const late = await withQuote(quote_id, body);
	t.match(late.body.error, {
		code: "INVALID_ARGUMENT",
		message: /expired at 2026-01-31T12:10:00.000Z/,
	});
	const read = await app.send(`/v1/quotes/${quote_id}`);
	t.match(read.body.data, { status: "expired", pay: [] });
	t.equal(await balance(app, token), "5.00", "none of this cost anything");
});

t.test("a quote is refused as the call would be", async (t) => {
	const app = await startApp(t, { settings: { model: "none" } });
	const refusals: [body: object, status: number, message: RegExp][] = [
		[{ operation: "graphs.search", input: { ...INPUT, graph_id: "atlantis" } }, 404, /atlantis/],
		[{ operation: "graphs.search", input: { graph_id: "agent-payments" } }, 400, /"input.query"/],
		[{ ...SEARCH, input: { ...INPUT, color: "red" } }, 400, /"input.color" is not a known/],
		[{ input: INPUT }, 400, /exactly one of "operation"/],
		[{ ...SEARCH, skill: "graph_search" }, 400, /exactly one of "operation"/],
		[{ operation: "graphs.search" }, 400, /"input" is required/],
		[{ operation: "graphs.burn", input: {} }, 400, /"operation"/],
	];
	for (const [request, status, message] of refusals) {
		const answer = await post(app, "/v1/quotes", request);
		t.equal(answer.status, status, JSON.stringify(request));
		t.match(answer.body.error.message, message);
	}
	const free = { amountMicros: 0n, billingType: "per_call" } as const;
	const open = await startApp(t, {
		settings: { model: "none", prices: { "graphs.search": free } },
	});
	t.match(await quoteOf(open), { amount_usd: "0.00", pay: [] });
});
