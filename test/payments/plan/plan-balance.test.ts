import t from "tap";
import { hasCard, isUsable } from "../../../payments/plan/plan-balance.js";
import { LIMITS } from "../../../src/contract/limits.js";
import { START_MS } from "../../store/open-test-store.js";
import { FREE, openPlan, USD } from "./open-plan.js";

const UNKNOWN = {
	code: "UNAUTHENTICATED",
	message: "The API key is not known here, has expired or was revoked.",
};
const MONTH = "acc_a|2026-03";
const DAY = "acc_a|2026-03-01";
const TOP_UP = {
	type: "api_key",
	instructions: "Ask the operator to add prepaid balance to the account behind this key.",
};

t.test("a free call takes no money, counts for month and day, and ends uncounted", async (t) => {
	const { hold, store, method, balance, usedOf, fund } = await openPlan();
	const first = await hold(FREE, { graphIds: ["g"] });
	t.match(first, {
		...{ from: "promo:free_tier", held: "held:acc_a", owner: "acc_a", rail: "plan" },
		...{ amountMicros: FREE, operationId: "graphs.search", billingType: "per_call" },
		...{ graphIds: ["g"], keyId: "key_a", quotaKeys: [MONTH, DAY], spendingIds: undefined },
	});
	await fund(7n);
	const captured = await store.transaction((tx) => method.capture(tx, first));
	t.match(captured, { paidMicros: 0n, balanceAfterMicros: 7n });
	t.equal(await balance("promo:free_tier"), -FREE);
	const usage = await store.read((reader) => reader.list("usage"));
	t.match(usage, [{ operations: { "graphs.search": { calls: 1, spentMicros: 0n } } }]);
	const second = await hold(1n);
	t.same([await usedOf(MONTH), await usedOf(DAY)], [2, 2]);
	await store.transaction((tx) => method.release(tx, second, "no_answer"));
	t.same([await usedOf(MONTH), await usedOf(DAY)], [1, 1]);
});

t.test("what is dearer than a free call is paid from the balance, and counted", async (t) => {
	const { hold, store, method, fund, usedOf } = await openPlan();
	await fund(2n * USD);
	const dear = await hold(FREE + 1n);
	const spendingIds = [MONTH, "key_a|2026-03", "key_a|total"];
	t.match(dear, { from: "cust:acc_a", spendingIds, quotaKeys: undefined });
	t.equal(await usedOf(MONTH), undefined);
	const captured = await store.transaction((tx) => method.capture(tx, dear, 300_000n));
	t.match(captured, { paidMicros: 300_000n, balanceAfterMicros: 1_700_000n });
	t.match(captured.transactionId, /^txn_/);
	const [usage] = await store.read((reader) => reader.list("usage"));
	t.same(usage?.operations, { "graphs.search": { calls: 1, spentMicros: 300_000n } });
	const payer = { owner: "acc_a", rail: "plan" };
	t.equal(await store.read((reader) => method.balance(reader, payer)), 1_700_000n);
});

t.test("a balance or a card lifts the limit of a day, not that of a month", async (t) => {
	for (const changes of [{}, { hasPaymentMethod: true }]) {
		const { hold, use, fund, usedOf } = await openPlan(changes);
		await use(DAY, LIMITS.freeCallsPerDay - 1);
		t.match(await hold(FREE), { from: "promo:free_tier" });
		const hasOne = changes.hasPaymentMethod === true;
		if (!hasOne) {
			await t.rejects(hold(FREE), { code: "QUOTA_EXCEEDED" });
			await fund(USD);
		}
		t.match(await hold(FREE), { from: "promo:free_tier" });
		t.equal(await usedOf(DAY), LIMITS.freeCallsPerDay + 1);
		await use(MONTH, LIMITS.freeCallsPerMonth - 1);
		t.match(await hold(FREE), { from: "promo:free_tier" });
		if (hasOne) await t.rejects(hold(FREE), { code: "QUOTA_EXCEEDED" });
		else t.match(await hold(FREE), { from: "cust:acc_a" });
	}
	const account = { hasPaymentMethod: false } as never;
	t.same([hasCard(account, 0n), hasCard(account, 1n)], [false, true]);
	t.equal(hasCard({ hasPaymentMethod: true } as never, 0n), true);
});

t.test("a refusal after the free calls says when there are more, and what helps", async (t) => {
	const { hold, use, clock } = await openPlan();
	clock.set(Date.parse("2026-03-30T23:59:00.200Z"));
	const [month, day] = ["acc_a|2026-03", "acc_a|2026-03-30"];
	await use(day, LIMITS.freeCallsPerDay);
	const ways = (period: string, seconds: number) => [
		{
			...{ type: "wait", retry_after_seconds: seconds },
			instructions: `The next ${period} begins in ${seconds} seconds.`,
		},
		{ ...TOP_UP, balance_usd: "0.00", amount_usd: "0.50" },
		{
			...{ type: "spt", header: "X-Pay-SPT", amount_usd: "0.50" },
			instructions:
				"Send the request with a Shared Payment Token instead of the key; no quota applies.",
		},
	];
	const refusal = async (micros = FREE) =>
		hold(micros).then(
			() => undefined,
			(error) => error,
		);
	const daily = await refusal();
	t.match(daily, { code: "QUOTA_EXCEEDED", retryAfterSeconds: 60 });
	t.equal(daily.message, "The 50 free calls of this day (UTC) are used up.");
	t.same(daily.challenge.continuations, ways("day", 60));
	await use(month, LIMITS.freeCallsPerMonth);
	const monthly = await refusal();
	t.match(monthly, { code: "QUOTA_EXCEEDED", retryAfterSeconds: 86_460 });
	t.equal(monthly.message, "The 100 free calls of this month (UTC) are used up.");
	t.same(monthly.challenge.continuations, ways("month", 86_460));
});

t.test("what waiting does not help is refused for money", async (t) => {
	const { hold, use, fund } = await openPlan();
	const refusal = async (micros: bigint) =>
		hold(micros).then(
			() => undefined,
			(error) => error,
		);
	const dear = await refusal(FREE + 1n);
	t.equal(dear.code, "INSUFFICIENT_BALANCE");
	t.equal(
		dear.message,
		"The account has 0.00 USD left; this call costs 0.500001 USD. Nothing was charged.",
	);
	t.same(dear.challenge.continuations, [
		{ ...TOP_UP, balance_usd: "0.00", amount_usd: "0.500001" },
	]);
	await use(MONTH, LIMITS.freeCallsPerMonth);
	await fund(1n);
	const poor = await refusal(FREE);
	t.match(poor, { code: "INSUFFICIENT_BALANCE", message: /has 0\.000001 USD left/ });
	t.equal(poor.challenge.continuations.length, 1);
	await fund(FREE - 1n);
	t.match(await hold(FREE), { from: "cust:acc_a" }, "all that is left may be spent");
});

t.test("above a key's price its owner is asked, unless the price was agreed on", async (t) => {
	const { hold, fund, balance } = await openPlan({}, { askAboveMicros: 2n * USD });
	await fund(10n * USD);
	t.ok(await hold(2n * USD));
	await t.rejects(hold(2n * USD + 1n), {
		code: "SPENDING_LIMIT",
		limit: "The owner of this key wants to be asked above 2.00 USD a call",
		message:
			"The owner of this key wants to be asked above 2.00 USD a call; this call costs 2.000001 USD. Nothing was run or charged.",
	});
	t.equal(await balance("cust:acc_a"), 8n * USD);
	t.ok(await hold(2n * USD + 1n, { isAgreed: true }));
	const free = await openPlan({}, { askAboveMicros: 1n });
	t.match(await free.hold(FREE), { from: "promo:free_tier" }, "free calls are not asked about");
});

t.test("an account that was closed or frozen pays for nothing, and says which", async (t) => {
	const { hold, fund, changeAccount, store } = await openPlan();
	await fund(USD);
	await changeAccount({ frozenAt: START_MS });
	await t.rejects(hold(1n), {
		code: "SCOPE_FORBIDDEN",
		message:
			"The operator has frozen this account: it pays for nothing until that is lifted, and its balance stays. Ask the operator, or pay another way.",
	});
	await changeAccount({ frozenAt: START_MS, closedAt: START_MS });
	await t.rejects(hold(1n), UNKNOWN);
	await store.transaction((tx) => tx.delete("accounts", "acc_a"));
	await t.rejects(hold(1n), UNKNOWN);
});

t.test(
	"a key pays until it is revoked or ends, within its scope, and for its account",
	async (t) => {
		const { hold, changeKey, clock, method, store, payerOf, quoteOf } = await openPlan();
		const buy = (graphIds: string[] = []) =>
			store.read(async (reader) => {
				const purchase = { quote: quoteOf(1n), graphIds, idempotencyId: undefined };
				await method.assertMayBuy?.(reader, payerOf(), purchase);
				return "may";
			});
		await changeKey({ skills: ["graph_search"], graphs: ["g"] });
		t.ok(await hold(1n, { graphIds: ["g"] }));
		t.equal(await buy(["g"]), "may");
		const foreign = { code: "SCOPE_FORBIDDEN", message: 'This key may not pay for "h".' };
		await t.rejects(hold(1n, { graphIds: ["h"] }), foreign);
		await t.rejects(buy(["h"]), foreign);
		await changeKey({ skills: ["verify"] });
		await t.rejects(hold(1n), { message: 'This key may not pay for "graphs.search".' });
		for (const changes of [{ status: "revoked" } as const, { accountId: "acc_b" }]) {
			await changeKey(changes);
			await t.rejects(hold(1n), UNKNOWN);
			await t.rejects(buy(), UNKNOWN);
		}
		await changeKey({ expiresAt: START_MS + 10 });
		clock.set(START_MS + 9);
		t.ok(await hold(1n));
		clock.set(START_MS + 10);
		await t.rejects(hold(1n), UNKNOWN, "at its very end it has ended");
		await store.transaction((tx) => tx.delete("keys", "key_a"));
		await t.rejects(hold(1n), UNKNOWN);
		t.same(
			[undefined, 11, 10].map((expiresAt) => isUsable({ status: "active", expiresAt }, 10)),
			[true, true, false],
		);
	},
);

t.test("a connection token pays like a key, without a key's limits", async (t) => {
	const { hold, payerOf, putConnection, store, fund, clock } = await openPlan();
	const access = { accountId: "acc_a", keyId: "con_a", isManager: false, keepsNoText: false };
	const payer = payerOf(access);
	await t.rejects(hold(1n, { payer }), UNKNOWN);
	await putConnection({ graphs: ["g"] });
	t.match(await hold(1n, { payer, graphIds: ["g"] }), { keyId: "con_a" });
	await t.rejects(hold(1n, { payer, graphIds: ["h"] }), { code: "SCOPE_FORBIDDEN" });
	await fund(USD);
	t.match(await hold(USD, { payer, graphIds: ["g"] }), { spendingIds: [MONTH] });
	const connection = () => store.read((reader) => reader.get("connections", "con_a"));
	t.equal((await connection())?.usedDay, "2026-03-01");
	await putConnection({ status: "revoked" });
	await t.rejects(hold(1n, { payer }), UNKNOWN);
	await putConnection({ usedDay: "2026-03-01" });
	clock.set(START_MS + 86_400_000);
	await hold(1n, { payer });
	t.equal((await connection())?.usedDay, "2026-03-02");
	const key = await store.read((reader) => reader.get("keys", "key_a"));
	t.equal(key?.usedDay, undefined, "the key was not used");
});

t.test("a subject without a key pays within what it was granted", async (t) => {
	const { hold, payerOf, store } = await openPlan();
	const access = { accountId: "acc_a", isManager: false, keepsNoText: false };
	const open = payerOf(access);
	t.notOk(Object.hasOwn(await hold(1n, { payer: open }), "keyId"));
	const scope = { skills: [], graphs: ["g"] };
	const bound = payerOf({ ...access, scope });
	t.ok(await hold(1n, { payer: bound, graphIds: ["g"] }));
	await t.rejects(hold(1n, { payer: bound, graphIds: ["h"] }), { code: "SCOPE_FORBIDDEN" });
	t.ok(await hold(1n, { payer: { owner: "acc_a", rail: "plan" } }), "a schedule has no grant");
	t.equal((await store.read((reader) => reader.get("keys", "key_a")))?.usedDay, undefined);
});

t.test("the day on which a key pays is noted once", async (t) => {
	const { hold, store, clock } = await openPlan();
	const usedDay = async () => (await store.read((reader) => reader.get("keys", "key_a")))?.usedDay;
	await hold(1n);
	t.equal(await usedDay(), "2026-03-01");
	await hold(1n);
	t.equal(await usedDay(), "2026-03-01");
	clock.set(START_MS + 86_400_000);
	await hold(1n);
	t.equal(await usedDay(), "2026-03-02");
});

t.test("who pays is what the credential opens; one that opens nothing is unknown", async (t) => {
	const { method, store, asked, setAccess } = await openPlan();
	t.same([method.rail, method.schemes], ["plan", ["api_key", "oidc", "connection", "oauth"]]);
	const credential = { scheme: "api_key", key: "k" } as const;
	const identify = () => method.identify(store, credential, { opens: true });
	const access = { accountId: "acc_a", keyId: "key_a", isManager: true, keepsNoText: false };
	t.same(await identify(), { owner: "acc_a", rail: "plan", access, keepsNoText: false });
	t.same(asked, [[credential, { opens: true }]]);
	const quiet = { ...access, keepsNoText: true };
	setAccess(quiet);
	t.same(await identify(), { owner: "acc_a", rail: "plan", access: quiet, keepsNoText: true });
	setAccess(undefined);
	await t.rejects(identify(), UNKNOWN);
	t.same(method.offer({} as never), {
		continuation: {
			...{ type: "api_key", header: "X-API-Key", free_calls_per_month: 100 },
			...{ alternative_header: "Authorization: Bearer <API key>", free_calls_per_day: 50 },
			instructions:
				"Ask the operator for an API key (sk_…) and send it in the X-API-Key header; the free plan covers the first calls of a month.",
		},
		...{ accepts: [], headers: {} },
	});
});
