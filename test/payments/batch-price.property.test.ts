import fc from "fast-check";
import t from "tap";
import { formatUsd, parseUsd } from "../../src/kernel/money.js";
import { KNOWN_QUERY, startApp, type TestApp } from "../support/start-app.js";

/** Questions the sample catalog answers, and one that no one does. */
const KNOWN = [KNOWN_QUERY, "How should a server roll out HSTS?", "EIP-712"];
const UNKNOWN = "sourdough starter hydration";
const PRICE = parseUsd("0.50");

const queryArbitrary = fc.oneof(
	fc.constantFrom(...KNOWN).map((query) => ({ query, limit: 1 })),
	fc.constant({ query: UNKNOWN, limit: 1 }),
	fc.constant({ query: UNKNOWN, limit: 1, graph_id: "agent-payments" }),
);
const batchArbitrary = fc.array(queryArbitrary, { minLength: 1, maxLength: 10 });

const ask = (app: TestApp, headers: Record<string, string>, queries: readonly object[]) =>
	app.send("/v1/search/batch", {
		method: "POST",
		headers: { "Content-Type": "application/json", ...headers },
		body: JSON.stringify({ queries }),
	});

async function openShop(t: Parameters<typeof startApp>[0]) {
	const app = await startApp(t, { settings: { model: "none" } });
	const { store, money, operator } = app.app;
	const left = (owner: string) => store.read((reader) => reader.balance(`cust:${owner}`));
	const spent = (id: string) =>
		store
			.read((reader) => reader.list("spending"))
			.then((rows) =>
				rows.filter((row) => row.id.startsWith(`${id}|`)).map(({ spentMicros }) => spentMicros),
			);
	/** Entries of all accounts sum to zero, and nothing is held when no one works. */
	const isSound = async () => {
		const balances = await store.read((reader) => reader.balances());
		let sum = 0n;
		for (const amount of balances.values()) sum += amount;
		const held = [...balances].filter(([name]) => name.startsWith("held:"));
		const { failures } = await money.guard.check();
		return sum === 0n && held.every(([, amount]) => amount === 0n) && failures.length === 0;
	};
	return { app, operator, left, spent, isSound };
}

const { app, operator, left, spent, isSound } = await openShop(t);

t.test("from a token a batch takes the price of the questions that have an answer", async (t) => {
	const { token, id } = await operator.issueSpt({ usd: "1000.00", max_per_day_usd: "1000.00" });
	let paid = 0n;
	await fc.assert(
		fc.asyncProperty(batchArbitrary, async (queries) => {
			const before = await left(id);
			const { status, body, headers } = await ask(app, { "X-Pay-SPT": token }, queries);
			const answered = queries.filter(({ query }) => query !== UNKNOWN).length;
			const due = PRICE * BigInt(answered);
			paid += due;
			t.equal(status, 200);
			t.same(
				body.data.items.map((item: { is_answered: boolean }) => item.is_answered),
				queries.map(({ query }) => query !== UNKNOWN),
			);
			t.equal(before - (await left(id)), due);
			t.equal(body.meta.cost.amount_usd, formatUsd(due));
			t.equal(body.meta.cost.charged, due > 0n);
			t.equal(headers.get("x-cost-usd"), formatUsd(due));
		}),
		{ numRuns: 25 },
	);
	t.same(await spent(id), [paid], "a limit counts what was paid, not what was held");
	t.ok(await isSound());
});

t.test("from an account as well, and its books say the same", async (t) => {
	const { key, account_id: owner } = await operator.createKey({ usd: "500.00" });
	const headers = { "X-API-Key": key };
	let paid = 0n;
	await fc.assert(
		fc.asyncProperty(fc.array(queryArbitrary, { minLength: 2, maxLength: 10 }), async (queries) => {
			const before = await left(owner);
			const { status } = await ask(app, headers, queries);
			const due = PRICE * BigInt(queries.filter(({ query }) => query !== UNKNOWN).length);
			paid += due;
			t.equal(status, 200);
			t.equal(before - (await left(owner)), due);
		}),
		{ numRuns: 15 },
	);
	t.same(await spent(owner), [paid]);
	const { body } = await app.send("/v1/account/usage?by=operation", { headers });
	t.match(JSON.stringify(body.data), `"spent_usd":"${formatUsd(paid)}"`);
	t.ok(await isSound());
});

t.test("the whole price must be there first; the free plan covers one question", async (t) => {
	const two = [{ query: KNOWN_QUERY }, { query: UNKNOWN }];
	const poor = await operator.issueSpt({ usd: "0.99" });
	const refused = await ask(app, { "X-Pay-SPT": poor.token }, two);
	t.equal(refused.status, 402);
	t.equal(refused.body.error.code, "INSUFFICIENT_BALANCE");
	t.equal(await left(poor.id), parseUsd("0.99"));
	const asked = await ask(app, {}, two);
	t.match(asked, { status: 402, body: { price: { amount_usd: "1.00" } } });
	const { key } = await operator.createKey({});
	t.equal((await ask(app, { "X-API-Key": key }, two)).status, 402);
	const one = await ask(app, { "X-API-Key": key }, [{ query: KNOWN_QUERY }]);
	t.match(one, { status: 200, body: { meta: { cost: { amount_usd: "0.00", rail: "plan" } } } });
	t.ok(await isSound());
});

t.test("a retry is not charged again, and a quote names the price of its own batch", async (t) => {
	const { token, id } = await operator.issueSpt({ usd: "10.00" });
	const queries = [{ query: KNOWN_QUERY }, { query: UNKNOWN }, { query: "EIP-712" }];
	const headers = { "X-Pay-SPT": token, "Idempotency-Key": "batch-1" };
	t.equal((await ask(app, headers, queries)).body.meta.cost.amount_usd, "1.00");
	const again = await ask(app, headers, queries);
	t.match(again.body.meta.cost, { amount_usd: "1.00", replayed: true });
	t.equal(await left(id), parseUsd("9.00"));

	const quoted = await app.send("/v1/quotes", {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ operation: "search.batch", input: { queries } }),
	});
	t.equal(quoted.body.data.amount_usd, "1.50");
	const { quote_id } = quoted.body.data;
	const kept = await ask(app, { "X-Pay-SPT": token, "X-Quote-Id": quote_id }, queries);
	t.equal(kept.body.meta.cost.amount_usd, "1.00");
	const other = await ask(app, { "X-Pay-SPT": token, "X-Quote-Id": quote_id }, queries.slice(1));
	t.equal(other.status, 400);
	t.equal(await left(id), parseUsd("8.00"));
});

t.test(
	"an unknown graph, too many questions and a token for other graphs cost nothing",
	async (t) => {
		const { token, id } = await operator.issueSpt({ usd: "10.00", graphs: ["agent-payments"] });
		const send = (queries: readonly object[]) => ask(app, { "X-Pay-SPT": token }, queries);
		const bound = { query: KNOWN_QUERY, graph_id: "agent-payments" };
		t.equal((await send([bound, { query: "x", graph_id: "nowhere" }])).status, 404);
		t.equal((await send([bound, { query: KNOWN_QUERY }])).status, 403);
		t.equal((await send([])).status, 400);
		t.equal((await send(Array.from({ length: 11 }, () => bound))).status, 400);
		t.equal(await left(id), parseUsd("10.00"));
		t.equal((await send([bound, bound])).status, 200);
	},
);
