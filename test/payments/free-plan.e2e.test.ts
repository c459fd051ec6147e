import t from "tap";
import { manualClock } from "../support/manual-clock.js";
import { startApp, type TestApp } from "../support/start-app.js";

const BODY = { query: "Which HTTP status code asks for payment?", limit: 1 };

async function call(shop: TestApp, key: string) {
	return shop.search({ headers: { "X-API-Key": key }, body: BODY });
}

async function callTimes(shop: TestApp, key: string, count: number): Promise<number[]> {
	const statuses: number[] = [];
	for (let index = 0; index < count; index++) statuses.push((await call(shop, key)).status);
	return statuses;
}

t.test("the free plan", async (t) => {
	const clock = manualClock("2026-01-30T12:00:00Z");
	const shop = await startApp(t, { clock });
	const { operator } = shop.app;

	await t.test(
		"fifty calls a day, then 429 until the next UTC day; a hundred a month, then the next month",
		async (t) => {
			const { key } = await operator.createKey({ label: "free" });
			t.same(new Set(await callTimes(shop, key, 50)), new Set([200]));
			const refused = await call(shop, key);
			t.same([refused.status, refused.body.error.code], [429, "QUOTA_EXCEEDED"]);
			t.equal(refused.headers.get("Retry-After"), String(12 * 3600));
			t.ok(refused.body.continuations.some(({ type }: { type: string }) => type === "wait"));

			clock.set("2026-01-31T00:00:01Z");
			t.same(new Set(await callTimes(shop, key, 50)), new Set([200]));
			t.equal((await call(shop, key)).status, 429, "a hundred this month");
			clock.set("2026-02-01T00:00:01Z");
			t.equal((await call(shop, key)).status, 200);
		},
	);

	await t.test("a free call costs nothing and is still receipted", async (t) => {
		const { key } = await operator.createKey({});
		const { body } = await call(shop, key);
		t.match(body.meta.cost, {
			amount_usd: "0.00",
			rail: "plan",
			charged: false,
			receipt_id: /^rcpt_/,
		});
	});

	await t.test("a card on file lifts the daily ceiling, not the monthly one", async (t) => {
		const { key } = await operator.createKey({ has_payment_method: true });
		const statuses = await callTimes(shop, key, 101);
		t.equal(statuses.filter((status) => status === 200).length, 100);
		t.equal(statuses.at(-1), 429);
	});

	await t.test("after the free calls the prepaid balance pays", async (t) => {
		const { key, account_id } = await operator.createKey({ usd: "0.75" });
		await callTimes(shop, key, 100);
		const paid = await call(shop, key);
		t.match(paid.body.meta.cost, { amount_usd: "0.50", balance_after_usd: "0.25", charged: true });
		const refused = await call(shop, key);
		t.same([refused.status, refused.body.error.code], [402, "INSUFFICIENT_BALANCE"]);
		t.equal(await shop.app.store.read((reader) => reader.balance(`cust:${account_id}`)), 250_000n);
	});

	await t.test("a call without an answer is not counted", async (t) => {
		const { key } = await operator.createKey({});
		for (let index = 0; index < 60; index++) {
			const body = { query: "zorblax quuxification of the frobnicator" };
			t.equal((await shop.search({ headers: { "X-API-Key": key }, body })).status, 200);
		}
		t.equal((await call(shop, key)).status, 200);
	});

	await t.test("a key no one issued is unauthenticated", async (t) => {
		t.equal((await call(shop, "sk_live_nonsense")).status, 401);
	});
});
