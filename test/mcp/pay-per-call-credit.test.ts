import t from "tap";
import { sumOfAllEntries } from "../support/start-app.js";
import { type PaidMcp, SEARCH, startPaidMcp, type ToolCall } from "./start-paid-mcp.js";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const QUERY = "How do agents pay for what they call?";

t.test("money that had settled for a search without an answer is a token, sent once", async (t) => {
	const price = { amountMicros: 2_000_000n, billingType: "per_call" } as const;
	const shop = await startPaidMcp(t, { prices: { "graphs.search": price } });
	const args = { ...SEARCH, query: "zorblax quuxification of the frobnicator" };
	const { required } = await shop.call({ args });
	const meta = { "x402/payment": shop.pay(required) };
	const { result } = await shop.call({ args, meta });
	t.notOk(result.isError);
	const { cost } = result.structuredContent.meta;
	t.match(cost, { charged: false, credit: { balance_usd: "2.00", token: /^spt_test_/ } });
	t.match(result._meta["x402/payment-response"], { success: true });
	const again = await shop.call({ args, meta });
	t.equal(again.refusal.error.code, "PAYMENT_ALREADY_USED");
	t.notMatch(JSON.stringify(again.message), cost.credit.token);

	const spent = await shop.call({ headers: { "X-Pay-SPT": cost.credit.token } });
	t.match(spent.result.structuredContent.meta.cost, { rail: "spt", balance_after_usd: "0.00" });
	t.equal(await sumOfAllEntries(shop.app), 0n);
});

t.test("who leaves while the payment settles finds the answer with it later", async (t) => {
	const shop = await startPaidMcp(t);
	const { required } = await shop.call({});
	const meta = { "x402/payment": shop.pay(required) };
	shop.facilitator.behavior = "slow";
	shop.facilitator.delayMs = 300;
	const sent = shop.facilitator.settled();
	const caller = new AbortController();
	const leaving = shop.call({ meta, signal: caller.signal });
	while (shop.facilitator.settled() === sent) await pause(5);
	caller.abort();
	await t.rejects(leaving);
	let { result, refusal } = await shop.call({ meta });
	while (refusal?.error.code === "IDEMPOTENCY_IN_FLIGHT") {
		await pause(25);
		({ result, refusal } = await shop.call({ meta }));
	}
	t.notOk(result.isError);
	t.match(result.structuredContent.meta.cost, { replayed: true });
	t.match(result._meta["x402/payment-response"], { success: true });
	t.equal(await shop.funds(), 49_500_000n, "charged once");
});

t.test("a deep dive that a wallet has paid for is opened and ended by its id", async (t) => {
	const shop = await startPaidMcp(t);
	const start = { name: "start_deep_dive", args: { query: QUERY } };
	const { required } = await shop.call(start);
	t.equal(required.accepts[0]?.amount, "10000000");
	const meta = { "x402/payment": shop.pay(required) };
	const launched = await shop.call({ ...start, meta });
	t.notOk(launched.result.isError);
	t.match(launched.result._meta["x402/payment-response"], { success: true });
	t.equal(await shop.funds(), 40_000_000n);
	const job_id: string = launched.result.structuredContent.data.job_id;

	const repeated = await shop.call({ ...start, meta });
	t.equal(repeated.refusal.error.code, "PAYMENT_ALREADY_USED");
	const { key } = await shop.app.operator.createKey({ usd: "20.00" });
	const headers = { "X-API-Key": key };
	const keyed = await shop.call({ ...start, headers });
	const theirs = keyed.result.structuredContent.data.job_id;

	const told = await shop.call({ name: "get_deep_dive", args: { job_id } });
	t.match(told.result.structuredContent, { job_id, status: String });
	const closed = await shop.call({ name: "get_deep_dive", args: { job_id: theirs } });
	t.equal(closed.refusal.error.code, "NOT_FOUND", "an account's job is opened by the account");
	const ended = await shop.call({ name: "cancel_deep_dive", args: { job_id } });
	t.match(ended.result.structuredContent, { job_id });
	await shop.call({ name: "cancel_deep_dive", args: { job_id: theirs }, headers });
	await untilEnded(shop, { args: { job_id } });
	await untilEnded(shop, { args: { job_id: theirs }, headers });
	t.equal(await sumOfAllEntries(shop.app), 0n);
});

async function untilEnded(shop: PaidMcp, job: ToolCall): Promise<void> {
	for (;;) {
		const { result } = await shop.call({ name: "get_deep_dive", ...job });
		if (/^(completed|failed|cancelled)$/.test(result.structuredContent.status)) return;
		await pause(25);
	}
}
