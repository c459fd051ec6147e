import t from "tap";
import type { ClientError } from "../../client/src/index.js";
import { KNOWN_QUERY } from "../support/start-app.js";
import type { Fault, ProxiedRequest } from "./fault-proxy.js";
import { GRAPH, openShop } from "./open-shop.js";

const QUERY = { query: KNOWN_QUERY, limit: 2 };
const isSearch = ({ path }: ProxiedRequest) => path.endsWith("/search");

/** The same fault for the first so many searches. */
function first(times: number, fault: Fault) {
	let left = times;
	return (request: ProxiedRequest) => {
		if (!isSearch(request) || left === 0) return undefined;
		left -= 1;
		return fault;
	};
}

t.test("a reply that is cut is asked for again under the same key, and charged once", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ budget: { session: "5.00" } });
	shop.proxy.decide(first(1, { kind: "lose", behind: '"rows"' }));
	const { rows } = await client.search(GRAPH, QUERY);
	t.ok(rows.length > 0);
	const searches = shop.proxy.requests.filter(isSearch);
	t.equal(searches.length, 2);
	t.equal(new Set(searches.map(({ headers }) => headers["idempotency-key"])).size, 1);
	t.equal(await shop.balance(), 8_500_000n);
	t.equal(client.spentUsd(), "0.50");
	t.equal(await shop.sumOfAllEntries(), 0n);
});

t.test("two calls have two keys; a key of the program's own is kept", async (t) => {
	const shop = await openShop(t);
	const client = shop.client();
	await client.search(GRAPH, QUERY);
	await client.search(GRAPH, QUERY);
	const own = { idempotencyKey: "order-7" };
	await client.search(GRAPH, QUERY, own);
	const again = await client.search(GRAPH, QUERY, own);
	t.equal(again.meta.cost.replayed, true);
	t.equal(new Set(shop.proxy.requests.map(({ headers }) => headers["idempotency-key"])).size, 3);
	t.equal(await shop.balance(), 7_500_000n, "three calls");
});

t.test(
	"a connection that breaks again and again ends in an error that may have cost",
	async (t) => {
		const shop = await openShop(t);
		const client = shop.client({ budget: { session: "5.00" } });
		shop.proxy.decide(first(99, { kind: "lose" }));
		await t.rejects(client.search(GRAPH, QUERY), {
			code: "NETWORK",
			retryable: true,
			chargedUsd: undefined,
		});
		t.equal(shop.proxy.requests.filter(isSearch).length, 4);
		t.equal(client.spentUsd(), "0.50", "what may be charged counts");
	},
);

t.test("429 and 503 are asked again after Retry-After, not before", async (t) => {
	const shop = await openShop(t);
	const error = { code: "UNAVAILABLE", message: "Later.", request_id: "req_x", retryable: true };
	for (const status of [429, 503]) {
		shop.proxy.decide(
			first(1, {
				kind: "answer",
				status,
				headers: { "Retry-After": "1" },
				body: JSON.stringify({ error }),
			}),
		);
		const client = shop.client({ retry: { pauseMs: 1, pauseMostMs: 2_000, attempts: 3 } });
		const startedMs = performance.now();
		await client.search(GRAPH, QUERY);
		t.ok(performance.now() - startedMs >= 990, `${status} waits as it is told`);
	}
	t.equal(await shop.balance(), 8_000_000n);
});

t.test("a server that asks for a longer pause than the most is not asked again", async (t) => {
	const shop = await openShop(t);
	const error = { code: "QUOTA_EXCEEDED", message: "Tomorrow.", request_id: "r", retryable: true };
	shop.proxy.decide(() => ({
		kind: "answer",
		status: 429,
		headers: { "Retry-After": "86400" },
		body: JSON.stringify({ error }),
	}));
	await t.rejects(shop.client().search(GRAPH, QUERY), {
		code: "QUOTA_EXCEEDED",
		retryAfterMs: 86_400_000,
		chargedUsd: "0.00",
	});
	t.equal(shop.proxy.requests.length, 1);
});

t.test("a refusal is not repeated, nor what its owner changes", async (t) => {
	const shop = await openShop(t);
	const client = shop.client();
	await t.rejects(client.search("no-such-graph", QUERY), { code: "NOT_FOUND" });
	t.equal(shop.proxy.requests.length, 1);
	shop.proxy.decide(() => ({ kind: "break" }));
	await t.rejects(client.call("spt.delegations.create", { amount_usd: "1.00" } as never), {
		code: "NETWORK",
		chargedUsd: "0.00",
	});
	t.equal(shop.proxy.requests.length, 2);
});

t.test("a server that is gone ends the call before anything is reserved", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ maxPrice: "1.00", budget: { session: "1.00" } });
	shop.proxy.decide(() => ({ kind: "break" }));
	await t.rejects(client.search(GRAPH, QUERY), { code: "NETWORK", chargedUsd: "0.00" });
	t.equal(client.spentUsd(), "0.00");
});

t.test("an answer that does not come in time is given up", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ timeoutMs: 30, retry: { attempts: 2, pauseMs: 1 } });
	shop.proxy.decide(() => ({ kind: "hold", onCame: () => undefined }));
	await t.rejects(client.search(GRAPH, QUERY), { code: "TIMEOUT", chargedUsd: undefined });
	t.equal(shop.proxy.requests.length, 2);
});

t.test("an abort releases what was reserved, and nothing is sent any more", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ budget: { session: "0.50" } });
	const leaving = new AbortController();
	shop.proxy.decide((request) =>
		isSearch(request) ? { kind: "hold", onCame: () => leaving.abort("enough") } : undefined,
	);
	const { signal } = leaving;
	const error = await client.search(GRAPH, QUERY, { signal }).catch((one: ClientError) => one);
	t.match(error, { code: "ABORTED", cause: "enough", chargedUsd: "0.00" });
	t.equal(client.spentUsd(), "0.00");
	shop.proxy.decide(() => undefined);
	await client.search(GRAPH, QUERY);
	t.equal(client.spentUsd(), "0.50", "there is room for it again");
	const before = shop.proxy.requests.length;
	await t.rejects(client.search(GRAPH, QUERY, { signal }), { code: "ABORTED" });
	t.equal(shop.proxy.requests.length, before);
});

t.test("an abort after an answer has begun counts, because it may be charged", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ budget: { session: "5.00" } });
	const leaving = new AbortController();
	let cuts = 0;
	shop.proxy.decide((request) => {
		if (!isSearch(request)) return undefined;
		cuts += 1;
		if (cuts === 2) return { kind: "hold", onCame: () => leaving.abort() };
		return { kind: "lose" };
	});
	await t.rejects(client.search(GRAPH, QUERY, { signal: leaving.signal }), {
		code: "ABORTED",
		chargedUsd: undefined,
	});
	t.equal(client.spentUsd(), "0.50");
});

t.test("an abort ends a pause between two tries", async (t) => {
	const shop = await openShop(t);
	const client = shop.client({ retry: { attempts: 3, pauseMs: 60_000, pauseMostMs: 60_000 } });
	const leaving = new AbortController();
	shop.proxy.decide(() => {
		setTimeout(() => leaving.abort(), 20);
		return { kind: "break" };
	});
	await t.rejects(client.search(GRAPH, QUERY, { signal: leaving.signal }), { code: "ABORTED" });
	t.equal(shop.proxy.requests.length, 1);
});
