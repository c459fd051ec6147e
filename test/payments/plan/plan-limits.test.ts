import t from "tap";
import {
	countFreeCall,
	countUsage,
	foldUsage,
	forgetKeySpending,
	hasFreeCall,
	readQuota,
	secondsUntilReset,
	spentEver,
	spentThisMonth,
} from "../../../payments/plan/plan-limits.js";
import { LIMITS } from "../../../src/contract/limits.js";
import type { HoldRow } from "../../../store/rows/call-rows.js";
import { openOn, START_MS } from "../../store/open-test-store.js";
import { openPlan, USD } from "./open-plan.js";

const DAY_MS = 86_400_000;
const { freeCallsPerDay: DAILY, freeCallsPerMonth: MONTHLY } = LIMITS;

t.test("budget and caps are spent to the very limit, each in its own words", async (t) => {
	const api = {
		type: "api_key",
		instructions: "Ask the account's owner to raise the limit, or use another key or a token.",
	};
	const wait = {
		...{ type: "wait", retry_after_seconds: 31 * 86_400 - 43_200 },
		instructions: "Wait until the next month (UTC) begins.",
	};
	const cases = [
		[{ budgetMicros: 3n * USD }, {}, "This account's budget is 3.00 USD a month (UTC)", true],
		[{}, { maxPerMonthMicros: 3n * USD }, "This key spends at most 3.00 USD a month (UTC)", true],
		[{}, { maxTotalMicros: 3n * USD }, "This key spends at most 3.00 USD in all", false],
	] as const;
	for (const [account, key, words, isMonthly] of cases) {
		const { hold, fund, store } = await openPlan(account, key);
		await fund(10n * USD);
		await hold(USD);
		const refused = await hold(2n * USD + 1n).then(
			() => undefined,
			(error) => error,
		);
		t.equal(refused.code, "SPENDING_LIMIT");
		t.equal(
			refused.message,
			`${words}; 1.00 USD are spent or held, and this call costs 2.000001 USD. Nothing was charged.`,
		);
		const facts = { limit_usd: "3.00", spent_usd: "1.00", amount_usd: "2.000001" };
		t.same(refused.challenge.continuations, [{ ...api, ...facts }, ...(isMonthly ? [wait] : [])]);
		await hold(2n * USD);
		const spent = await store.read(async (reader) => [
			await spentThisMonth(reader, "acc_a", START_MS),
			await spentThisMonth(reader, "key_a", START_MS),
			await spentEver(reader, "key_a"),
		]);
		t.same(spent, [3n * USD, 3n * USD, 3n * USD], words);
	}
});

t.test("counters of a month outlive it, that of a key is kept until it is deleted", async (t) => {
	const { hold, fund, store } = await openPlan();
	await fund(10n * USD);
	await hold(USD);
	const rows = await store.read((reader) => reader.list("spending"));
	const monthly = { spentMicros: USD, expiresAt: START_MS + 33 * DAY_MS };
	t.same(rows, [
		{ id: "acc_a|2026-03", ...monthly },
		{ id: "key_a|2026-03", ...monthly },
		{ id: "key_a|total", spentMicros: USD, expiresAt: Number.MAX_SAFE_INTEGER },
	]);
	const nextMonth = Date.parse("2026-04-01T00:00:00Z");
	const read = (at: number) => store.read((reader) => spentThisMonth(reader, "acc_a", at));
	t.same([await read(nextMonth - 1), await read(nextMonth)], [USD, 0n]);
	await store.transaction((tx) => forgetKeySpending(tx, "key_a"));
	t.equal(await store.read((reader) => spentEver(reader, "key_a")), 0n);
	t.equal((await store.read((reader) => reader.list("spending"))).length, 2);
});

t.test("free calls are counted by month and day, and kept a day past the month", async (t) => {
	const store = await openOn();
	const count = (now: number, owner: Parameters<typeof countFreeCall>[1] = { id: "acc_a" }) =>
		store.transaction((tx) => countFreeCall(tx, owner, now));
	const quota = (now: number) => store.read((reader) => readQuota(reader, { id: "acc_a" }, now));
	t.same(await quota(START_MS), { monthUsed: 0, dayUsed: 0 });
	t.same(await count(START_MS), ["acc_a|2026-03", "acc_a|2026-03-01"]);
	await count(START_MS + DAY_MS);
	t.same(await quota(START_MS), { monthUsed: 2, dayUsed: 1 });
	const expiresAt = Date.parse("2026-04-02T00:00:00Z");
	t.same(await store.read((reader) => reader.list("quotas")), [
		{ id: "acc_a|2026-03", used: 2, expiresAt },
		{ id: "acc_a|2026-03-01", used: 1, expiresAt },
		{ id: "acc_a|2026-03-02", used: 1, expiresAt },
	]);
	t.same(await count(START_MS, { id: "acc_b", quotaId: "address" }), [
		...["address|2026-03", "address|2026-03-01"],
	]);
	const subject = { id: "acc_b", quotaId: "address", subjectHash: "subject" };
	t.same(await count(START_MS, subject), ["subject|2026-03", "subject|2026-03-01"]);
});

t.test("a call is free below both limits, and a card lifts that of the day", (t) => {
	const cases = [
		[MONTHLY - 1, DAILY - 1, true, true],
		[MONTHLY - 1, DAILY, false, true],
		[MONTHLY, 0, false, false],
	] as const;
	for (const [monthUsed, dayUsed, without, withCard] of cases) {
		t.equal(hasFreeCall({ monthUsed, dayUsed }, false), without);
		t.equal(hasFreeCall({ monthUsed, dayUsed }, true), withCard);
	}
	t.end();
});

t.test("the next free call comes with the day, or with the month once that is used up", (t) => {
	const until = (monthUsed: number, time: string) =>
		secondsUntilReset({ monthUsed, dayUsed: DAILY }, Date.parse(time));
	t.equal(until(MONTHLY - 1, "2026-03-30T23:59:58.999Z"), 2);
	t.equal(until(MONTHLY - 1, "2026-03-30T00:00:00Z"), 86_400);
	t.equal(until(MONTHLY, "2026-03-30T23:59:58.999Z"), 86_402);
	t.end();
});

const callOf = (changes: Partial<HoldRow> = {}) =>
	({
		owner: "acc_a",
		operationId: "graphs.search",
		graphIds: ["g"],
		keyId: "key_a",
		...changes,
	}) as HoldRow;

t.test("a call is counted by operation, graph and key, in the row of its day", async (t) => {
	const store = await openOn();
	const count = (hold: HoldRow, paidMicros: bigint) =>
		store.transaction((tx) => countUsage(tx, hold, { paidMicros, now: START_MS }));
	await count(callOf(), 5n);
	await count(callOf({ graphIds: ["g", "h"], keyId: undefined }), 2n);
	const { graphIds: _, ...without } = callOf({ operationId: "search.all" });
	await count(without, 0n);
	t.same(await store.read((reader) => reader.list("usage")), [
		{
			...{ id: "acc_a|2026-03-01", accountId: "acc_a" },
			operations: {
				"graphs.search": { calls: 2, spentMicros: 7n },
				"search.all": { calls: 1, spentMicros: 0n },
			},
			graphs: { g: { calls: 1, spentMicros: 5n }, "*": { calls: 2, spentMicros: 2n } },
			keys: { key_a: { calls: 2, spentMicros: 5n } },
			expiresAt: START_MS + LIMITS.usageDays * DAY_MS,
		},
	]);
});

t.test("names that objects have by themselves are counted like any other", async (t) => {
	const store = await openOn();
	const hold = callOf({ graphIds: ["constructor"] });
	for (let call = 0; call < 2; call++)
		await store.transaction((tx) => countUsage(tx, hold, { paidMicros: 1n, now: START_MS }));
	const [row] = await store.read((reader) => reader.list("usage"));
	t.same(row?.graphs, { constructor: { calls: 2, spentMicros: 2n } });
});

t.test("the last name that has room is counted alone, also when rows are folded", async (t) => {
	const store = await openOn();
	const total = LIMITS.usageNamesMax + 1;
	await store.transaction(async (tx) => {
		for (let at = 0; at < total; at++) {
			const hold = callOf({ operationId: `operation ${at}` });
			await countUsage(tx, hold, { paidMicros: 1n, now: START_MS });
		}
	});
	await foldUsage(store, START_MS + LIMITS.usageDays * DAY_MS);
	const [month] = await store.read((reader) => reader.list("usage"));
	t.equal(month?.id, "acc_a|2026-03");
	t.match(month?.operations["operation 199"], { calls: 1 });
	t.equal(month?.operations["operation 200"], undefined);
	t.same(month?.operations["other"], { calls: 1, spentMicros: 1n });
	t.same(month?.graphs, { g: { calls: total, spentMicros: BigInt(total) } });
	t.same(month?.keys, { key_a: { calls: total, spentMicros: BigInt(total) } });
	t.equal(month?.expiresAt, Date.parse("2026-03-01") + LIMITS.usageMonthDays * DAY_MS);
});
