import t from "tap";
import {
	ClientError,
	createClient,
	type Ledger,
	memoryLedger,
	spt,
} from "../../client/src/index.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import { GRAPH, openShop } from "./open-shop.js";

const QUERY = { query: KNOWN_QUERY, limit: 2 };
/** No curated graph has a word of it. */
const UNANSWERED = { query: "zxqvbn wqpfkj", limit: 2 };

t.test("a search is paid for, typed, and counted by what it cost", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ maxPrice: "0.50", budget: { session: "1.20" } });
	const { rows, meta } = await client.search(GRAPH, QUERY);
	t.ok(rows.length > 0);
	t.equal(meta.cost.amount_usd, "0.50");
	t.equal(client.spentUsd(), "0.50");
	t.equal(await shop.balance(), 8_500_000n);
	const none = await client.search(GRAPH, UNANSWERED);
	t.equal(none.rows.length, 0);
	t.equal(client.spentUsd(), "0.50", "no answer, no charge");
});

t.test("without limits one request is sent for a call", async (t) => {
	const shop = await openShop(t);
	await shop.client().search(GRAPH, QUERY);
	t.equal(shop.proxy.requests.length, 1);
	t.ok(shop.proxy.requests[0]?.headers["idempotency-key"]);
});

t.test("the price is asked without a credential, and the quote goes with the call", async (t) => {
	const shop = await openShop(t);
	await shop.client({ maxPrice: "1.00" }).search(GRAPH, QUERY);
	const [quote, call] = shop.proxy.requests;
	t.equal(quote?.path, "/v1/quotes");
	t.notOk(quote?.headers["x-pay-spt"]);
	t.match(call?.headers["x-quote-id"], /./);
});

t.test("a price above the most is refused before the call is sent", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ maxPrice: "0.49" });
	await t.rejects(client.search(GRAPH, QUERY), {
		code: "PRICE_ABOVE_MAX",
		chargedUsd: "0.00",
		message: /0\.50 USD, more than the 0\.49 USD/,
	});
	t.same(
		shop.proxy.requests.map(({ path }) => path),
		["/v1/quotes"],
	);
	t.equal((await client.search(GRAPH, QUERY, { maxPrice: "0.50" })).meta.cost.amount_usd, "0.50");
	await t.rejects(client.search(GRAPH, QUERY, { maxPrice: "half" }), { code: "INVALID_ARGUMENT" });
});

t.test("calls of the same moment do not spend more than the budget", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ budget: { session: "1.49" } });
	const results = await Promise.allSettled(
		Array.from({ length: 8 }, (_, n) => client.search(GRAPH, { ...QUERY, limit: n + 1 })),
	);
	const refused = results.filter(({ status }) => status === "rejected");
	t.equal(refused.length, 6);
	for (const one of refused) {
		t.match((one as PromiseRejectedResult).reason, { code: "BUDGET_EXCEEDED", chargedUsd: "0.00" });
	}
	t.equal(client.spentUsd(), "1.00");
	t.equal(await shop.balance(), 8_000_000n);
	t.equal(
		shop.proxy.requests.filter(({ path }) => path.endsWith("/search")).length,
		2,
		"what was refused was not sent",
	);
});

t.test("a day's budget counts over sessions, and begins anew in UTC", async (t) => {
	const shop = await openShop(t);
	const ledger = memoryLedger();
	let now = Date.parse("2026-03-01T23:59:00Z");
	const options = { budget: { day: "0.70" }, ledger, now: () => now };
	await shop.client(options).search(GRAPH, QUERY);
	const other = shop.client(options);
	await t.rejects(other.search(GRAPH, QUERY), {
		code: "BUDGET_EXCEEDED",
		message: /0\.20 USD are left of the budget of the day/,
	});
	t.equal(ledger.add("2026-03-01", 0n), 500_000n, "the refused call is not counted");
	now += 120_000;
	await other.search(GRAPH, QUERY);
	t.equal(ledger.add("2026-03-02", 0n), 500_000n);
});

t.test("a ledger that is away refuses calls instead of forgetting them", async (t) => {
	const shop = await openShop(t);
	const ledger: Ledger = { add: () => Promise.reject(new Error("away")) };
	const client = shop.client({ budget: { day: "5.00" }, ledger });
	await t.rejects(client.search(GRAPH, QUERY), { code: "LEDGER_FAILED", retryable: true });
	t.equal(client.spentUsd(), "0.00");
	t.equal(await shop.balance(), 9_000_000n);
});

t.test("a quote and a dry run say the price, and nothing is charged", async (t) => {
	const shop = await openShop(t);
	const client = shop.client();
	const input = { graph_id: GRAPH, ...QUERY };
	t.match(await client.quote("graphs.search", input), { amount_usd: "0.50", status: "valid" });
	const dry = await client.call("graphs.search", input, { dryRun: true });
	t.match(dry, { operation: "graphs.search", amount_usd: "0.50" });
	const deep = { query: "How do agents pay?", mode: "comprehensive" } as const;
	t.equal((await client.quote("research.deep_dive", deep)).amount_usd, "15.00");
	t.equal(await shop.balance(), 9_000_000n);
	await t.rejects(client.quote("graphs.search", { ...input, graph_id: "no-such-graph" }), {
		code: "NOT_FOUND",
		status: 404,
	});
});

t.test("every kind of operation goes where it belongs", async (t) => {
	const shop = await openShop(t);
	const client = shop.client();
	t.ok((await client.call("graphs.catalog", { limit: 2 })).data.items.length > 0);
	t.match(await client.call("graphs.readme", { graph_id_or_slug: GRAPH }), /^---/);
	t.ok((await client.call("catalog.okf", {})) instanceof Uint8Array);
	t.match(await client.call("spt.balance", {}), { data: { balance_usd: "9.00" } });
	t.match(await client.call("graphs.nodes.list", { graph_id: GRAPH, limit: 1 }), { ok: true });
	t.match(shop.proxy.requests.at(-1)?.path, /nodes\?limit=1$/);
	await t.rejects(client.call("nothing" as "health", {}), { code: "INVALID_ARGUMENT" });
	await t.rejects(client.call("graphs.detail", { graph_id_or_slug: ".." }), {
		code: "INVALID_ARGUMENT",
		message: /graph_id_or_slug/,
	});
	await t.rejects(client.call("research.stream" as "health", {}), { message: /client.stream/ });
	await t.rejects(client.call("research.deep_dive" as "health", {}), { message: /client.launch/ });
});

t.test("a refusal of the server keeps its code, its complaints and what to do next", async (t) => {
	const shop = await openShop(t);
	const poor = await openShop(t, "0.10");
	const wrong = { ...QUERY, limit: 0 };
	const refused = await shop
		.client()
		.search(GRAPH, wrong)
		.catch((error: unknown) => error);
	t.ok(refused instanceof ClientError);
	t.match(refused, { code: "INVALID_ARGUMENT", status: 400, chargedUsd: "0.00", retryable: false });
	t.match((refused as ClientError).details, [{ path: "limit" }]);
	t.match((refused as ClientError).requestId, /^req_/);
	await t.rejects(poor.client().search(GRAPH, QUERY), {
		code: "INSUFFICIENT_BALANCE",
		status: 402,
	});
	const stranger = createClient(shop.proxy.url);
	const asked = await stranger.search(GRAPH, QUERY).catch((error: unknown) => error as ClientError);
	t.match(asked, { code: "PAYMENT_REQUIRED", chargedUsd: "0.00" });
	t.ok((asked as ClientError).continuations.some(({ type }) => type === "x402"));
});

t.test("a credential does not travel in the open, nor an amount that is none", async (t) => {
	const make = (url: string, options: object = {}) =>
		createClient(url, { pay: spt("spt_test_x"), ...options });
	t.throws(() => make("http://example.com"), { code: "INVALID_ARGUMENT", message: /TLS/ });
	t.doesNotThrow(() => make("http://example.com", { allowInsecureHttp: true }));
	t.doesNotThrow(() => make("https://example.com/shop/"));
	t.doesNotThrow(() => make("http://127.0.0.1:1"));
	t.doesNotThrow(() => createClient("http://example.com"));
	t.throws(() => make("ftp://example.com"), { code: "INVALID_ARGUMENT" });
	t.throws(() => make("nowhere"), { code: "INVALID_ARGUMENT" });
	for (const maxPrice of ["-1", "1e3", "0.1234567", "1,5", ""]) {
		t.throws(
			() => make("https://example.com", { maxPrice }),
			{ code: "INVALID_ARGUMENT" },
			maxPrice,
		);
	}
	t.throws(() => spt("two words"), { code: "INVALID_ARGUMENT" });
});
