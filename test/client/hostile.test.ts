import t from "tap";
import { ClientError, toServerCode } from "../../client/src/errors.js";
import { ERROR_CODES } from "../../src/kernel/errors.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import type { Fault } from "./fault-proxy.js";
import { GRAPH, openShop } from "./open-shop.js";

const QUERY = { query: KNOWN_QUERY, limit: 2 };
const answer = (body: string, more: Partial<Extract<Fault, { kind: "answer" }>> = {}): Fault => ({
	kind: "answer",
	status: 200,
	body,
	...more,
});

t.test("every code of the server is one of the client's", async (t) => {
	for (const code of ERROR_CODES) t.equal(toServerCode(code), code);
	t.equal(toServerCode("SOMETHING_NEW"), "UNKNOWN");
});

t.test("what is no answer of this interface is refused, and counts as charged", async (t) => {
	const shop = await openShop(t);
	const html = { headers: { "Content-Type": "text/html" } };
	const strange: Readonly<Record<string, Fault>> = {
		"no JSON": answer("{"),
		"a list": answer("[]"),
		"a number": answer("7"),
		nothing: answer(""),
		"a page": answer("<h1>Welcome</h1>", html),
		"bytes that are no text": answer(Buffer.from([0xff, 0xfe]).toString("latin1")),
		"a redirection": answer("", { status: 302, headers: { Location: "http://127.0.0.1:1/" } }),
	};
	for (const [name, fault] of Object.entries(strange)) {
		const client = shop.client({ budget: { session: "0.60" } });
		shop.proxy.decide(({ path }) => (path.endsWith("/search") ? fault : undefined));
		await t.rejects(
			client.search(GRAPH, QUERY),
			{ code: "INVALID_REPLY", chargedUsd: undefined, retryable: false },
			name,
		);
		t.equal(client.spentUsd(), "0.50", name);
	}
});

t.test("an answer without an end is not read to it", async (t) => {
	const shop = await openShop(t);
	shop.proxy.decide(() => answer(`{"a":"${"x".repeat(200_000)}"}`));
	const client = shop.client({ maxReplyBytes: 100_000 });
	await t.rejects(client.search(GRAPH, QUERY), { code: "REPLY_TOO_LARGE", status: 200 });
	t.equal(shop.proxy.requests.length, 1);
});

t.test("a quote without a price buys nothing", async (t) => {
	const shop = await openShop(t);
	for (const amount of [0.5, "-1", "0.5e1", null, undefined]) {
		const data = { quote_id: "qte_1", amount_usd: amount };
		shop.proxy.decide(() => answer(JSON.stringify({ ok: true, data })));
		const client = shop.client({ maxPrice: "1.00" });
		await t.rejects(client.search(GRAPH, QUERY), { code: "INVALID_REPLY", chargedUsd: "0.00" });
	}
	t.ok(shop.proxy.requests.every(({ path }) => path === "/v1/quotes"));
});

t.test("a price that cannot be read counts as the one that was quoted", async (t) => {
	const shop = await openShop(t);
	for (const amount of [{}, "-5", "free", 1e9]) {
		const client = shop.client({ budget: { session: "1.00" } });
		shop.proxy.decide(({ path }) =>
			path.endsWith("/search")
				? answer(JSON.stringify({ ok: true, meta: { cost: { amount_usd: amount } }, rows: [] }))
				: undefined,
		);
		await client.search(GRAPH, QUERY);
		t.equal(client.spentUsd(), "0.50");
	}
});

t.test("errors of the wrong shape, and of a proxy between, are errors all the same", async (t) => {
	const shop = await openShop(t);
	const page = { headers: { "Content-Type": "text/html" } };
	const refusals: readonly (readonly [Fault, Record<string, unknown>])[] = [
		[answer("<h1>403</h1>", { status: 403, ...page }), { code: "INVALID_REPLY", status: 403 }],
		[answer('{"error":"no"}', { status: 400 }), { code: "INVALID_REPLY", status: 400 }],
		[answer('{"error":{"code":7}}', { status: 500 }), { chargedUsd: undefined, status: 500 }],
		[
			answer(JSON.stringify({ error: { code: "NEWER", message: "x".repeat(9_999) } }), {
				status: 418,
			}),
			{ code: "UNKNOWN", serverCode: "NEWER", message: /^x{500}$/ },
		],
		[
			answer(
				JSON.stringify({
					error: { code: "NOT_FOUND", message: "m", details: [7, { path: 1 }], retryable: "yes" },
					continuations: "none",
				}),
				{ status: 404 },
			),
			{ code: "NOT_FOUND", details: [], continuations: [], retryable: false },
		],
	];
	for (const [fault, expected] of refusals) {
		shop.proxy.decide(() => fault);
		const error = await shop
			.client()
			.search(GRAPH, QUERY)
			.catch((one: unknown) => one);
		t.ok(error instanceof ClientError);
		t.match(error, expected);
	}
});
