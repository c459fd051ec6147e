import { LIMITS } from "../../src/contract/contract.js";
import {
	formatUsd,
	type Micros,
	nextUtcMonth,
	toIsoDay,
	toIsoMonth,
} from "../../src/kernel/kernel.js";
import type {
	AccountRow,
	HoldRow,
	KeyRow,
	Store,
	StoreReader,
	StoreTransaction,
	UsageCount,
	UsageRow,
} from "../../store/store.js";
import { type PaymentRequired, refusePayment } from "../payments.js";

const DAY_MS = 24 * 3_600_000;

interface Limit {
	/** Row of `spending` it counts in. */
	readonly id: string;
	readonly limitMicros: Micros | undefined;
	/** As a refusal names it: "This key spends at most … USD a month (UTC)". */
	readonly subject: string;
	readonly period: string;
	readonly isMonthly: boolean;
}

type Spender = { readonly account: AccountRow; readonly key: KeyRow | undefined };

/** What an account or a key has held or spent this UTC month. */
export async function spentThisMonth(
	reader: StoreReader,
	id: string,
	now: number,
): Promise<Micros> {
	return (await reader.get("spending", monthId(id, now)))?.spentMicros ?? 0n;
}

/** What a key has held or spent since it was made. */
export async function spentEver(reader: StoreReader, keyId: string): Promise<Micros> {
	return (await reader.get("spending", totalId(keyId)))?.spentMicros ?? 0n;
}

/** Counts an amount toward budget and caps, even unset ones, and returns the counters for a later release. Throws SPENDING_LIMIT. */
export async function countPlanSpending(
	tx: StoreTransaction,
	spender: Spender,
	{ amountMicros, now }: { readonly amountMicros: Micros; readonly now: number },
): Promise<readonly string[]> {
	const counted = [];
	for (const limit of limitsOf(spender, now)) {
		const spentMicros = (await tx.get("spending", limit.id))?.spentMicros ?? 0n;
		const { limitMicros } = limit;
		if (limitMicros !== undefined && spentMicros + amountMicros > limitMicros) {
			throw refusal(limit, { limitMicros, spentMicros, amountMicros }, now);
		}
		counted.push({ ...limit, spentMicros: spentMicros + amountMicros });
	}
	for (const { id, spentMicros, isMonthly } of counted) {
		// Kept past its month, so that a late release still finds its counter.
		const expiresAt = isMonthly ? now + 33 * DAY_MS : Number.MAX_SAFE_INTEGER;
		await tx.put("spending", { id, spentMicros, expiresAt });
	}
	return counted.map(({ id }) => id);
}

/** Forgets what a deleted key has spent. */
export function forgetKeySpending(tx: StoreTransaction, keyId: string): Promise<void> {
	return tx.delete("spending", totalId(keyId));
}

function limitsOf({ account, key }: Spender, now: number): readonly Limit[] {
	const period = "a month (UTC)";
	const budget: Limit = {
		id: monthId(account.id, now),
		limitMicros: account.budgetMicros,
		subject: "This account's budget is",
		period,
		isMonthly: true,
	};
	if (!key) return [budget];
	const subject = "This key spends at most";
	const month = { id: monthId(key.id, now), limitMicros: key.maxPerMonthMicros, subject };
	const total = { id: totalId(key.id), limitMicros: key.maxTotalMicros, subject };
	return [
		budget,
		{ ...month, period, isMonthly: true },
		{ ...total, period: "in all", isMonthly: false },
	];
}

function refusal(
	{ subject, period, isMonthly }: Limit,
	sums: Record<"limitMicros" | "spentMicros" | "amountMicros", Micros>,
	now: number,
): PaymentRequired {
	const [limit, spent, amount] = [sums.limitMicros, sums.spentMicros, sums.amountMicros].map(
		formatUsd,
	);
	const facts = { limit_usd: limit, spent_usd: spent, amount_usd: amount };
	return refusePayment(
		"SPENDING_LIMIT",
		`${subject} ${limit} USD ${period}; ${spent} USD are spent or held, and this call costs ${amount} USD. Nothing was charged.`,
		[
			{
				type: "api_key",
				...facts,
				instructions: "Ask the account's owner to raise the limit, or use another key or a token.",
			},
			...(isMonthly
				? [
						{
							type: "wait" as const,
							retry_after_seconds: Math.ceil((nextUtcMonth(now) - now) / 1000),
							instructions: "Wait until the next month (UTC) begins.",
						},
					]
				: []),
		],
	);
}

const monthId = (id: string, now: number): string => `${id}|${toIsoMonth(now)}`;
const totalId = (keyId: string): string => `${keyId}|total`;

type QuotaOwner = Pick<AccountRow, "id" | "subjectHash" | "quotaId">;

/** The free plan's counters, UTC: `<owner>|2026-11` and `<owner>|2026-11-21`. */
export interface FreeQuota {
	readonly monthUsed: number;
	readonly dayUsed: number;
}

export async function readQuota(
	reader: StoreReader,
	owner: QuotaOwner,
	now: number,
): Promise<FreeQuota> {
	const [month, day] = quotaKeys(owner, now);
	return {
		monthUsed: (await reader.get("quotas", month))?.used ?? 0,
		dayUsed: (await reader.get("quotas", day))?.used ?? 0,
	};
}

/** Whether one more call is free. Spec: Limits. A payment method on file lifts the daily ceiling only. */
export function hasFreeCall({ monthUsed, dayUsed }: FreeQuota, hasPaymentMethod: boolean): boolean {
	if (monthUsed >= LIMITS.freeCallsPerMonth) return false;
	return hasPaymentMethod || dayUsed < LIMITS.freeCallsPerDay;
}

/** Counts one free call; returns the counters, so that a release can give it back. */
export async function countFreeCall(
	tx: StoreTransaction,
	owner: QuotaOwner,
	now: number,
): Promise<readonly string[]> {
	const keys = quotaKeys(owner, now);
	// Kept a day past the month, so that a late release still finds its counter.
	const expiresAt = nextUtcMonth(now) + DAY_MS;
	for (const id of keys) {
		const used = (await tx.get("quotas", id))?.used ?? 0;
		await tx.put("quotas", { id, used: used + 1, expiresAt });
	}
	return keys;
}

/** Whole seconds until the exhausted counter starts again: the next UTC day, or the next UTC month. */
export function secondsUntilReset({ monthUsed }: FreeQuota, now: number): number {
	const nextDay = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
	const next = monthUsed >= LIMITS.freeCallsPerMonth ? nextUtcMonth(now) : nextDay;
	return Math.ceil((next - now) / 1000);
}

function quotaKeys(owner: QuotaOwner, now: number): readonly [month: string, day: string] {
	const id = quotaIdOf(owner);
	return [`${id}|${toIsoMonth(now)}`, `${id}|${toIsoDay(now)}`];
}

/** Free calls are counted per identity, not per account: opening or erasing accounts never resets the month's counter. */
function quotaIdOf({ id, subjectHash, quotaId }: QuotaOwner): string {
	return subjectHash ?? quotaId ?? id;
}

/** Where calls are counted that name no graph or several, and those past the graphs that a row has room for. */
const ALL_GRAPHS = "*";
const OTHER_GRAPHS = "other";

type Counts = Readonly<Record<string, UsageCount>>;

/** Counts an answered call of an account in its row of the day, in the transaction that captures its price. */
export async function countUsage(
	tx: StoreTransaction,
	{ owner, operationId, graphIds = [], keyId }: HoldRow,
	{ paidMicros, now }: { readonly paidMicros: Micros; readonly now: number },
): Promise<void> {
	const id = `${owner}|${toIsoDay(now)}`;
	const row = (await tx.get("usage", id)) ?? emptyRow(id, owner, now + LIMITS.usageDays * DAY_MS);
	const one: UsageCount = { calls: 1, spentMicros: paidMicros };
	const [graphId = ALL_GRAPHS, ...others] = graphIds;
	await tx.put("usage", {
		...row,
		operations: added(row.operations, operationId, one),
		graphs: added(row.graphs, others.length > 0 ? ALL_GRAPHS : graphId, one),
		...(keyId !== undefined && { keys: added(row.keys, keyId, one) }),
	});
}

/** Adds days that are long over up to months, and forgets months long over, a few at a time. */
export async function foldUsage(store: Store, now: number): Promise<void> {
	const rows = await store.read((reader) => reader.list("usage"));
	for (const { id } of rows.filter(({ expiresAt }) => expiresAt <= now)) {
		await store.transaction((tx) => foldRow(tx, id), { durability: "deferred" });
	}
}

async function foldRow(tx: StoreTransaction, id: string): Promise<void> {
	const row = await tx.get("usage", id);
	if (!row) return;
	await tx.delete("usage", id);
	const [, day] = /^.*\|(\d{4}-\d{2}-\d{2})$/.exec(id) ?? [];
	if (day === undefined) return;
	const monthId = id.slice(0, -3);
	const expiresAt = Date.parse(day) + LIMITS.usageMonthDays * DAY_MS;
	const month = (await tx.get("usage", monthId)) ?? emptyRow(monthId, row.accountId, expiresAt);
	await tx.put("usage", {
		...month,
		operations: addedAll(month.operations, row.operations),
		graphs: addedAll(month.graphs, row.graphs),
		keys: addedAll(month.keys, row.keys),
	});
}

function emptyRow(id: string, accountId: string, expiresAt: number): UsageRow {
	return { id, accountId, operations: {}, graphs: {}, keys: {}, expiresAt };
}

function addedAll(counts: Counts, others: Counts): Counts {
	return Object.entries(others).reduce((sum, [name, count]) => added(sum, name, count), counts);
}

function added(counts: Counts, name: string, { calls, spentMicros }: UsageCount): Counts {
	const isRoom = Object.hasOwn(counts, name) || Object.keys(counts).length < LIMITS.usageNamesMax;
	const place = isRoom ? name : OTHER_GRAPHS;
	const before = Object.hasOwn(counts, place) ? counts[place] : undefined;
	return {
		...counts,
		[place]: {
			calls: (before?.calls ?? 0) + calls,
			spentMicros: (before?.spentMicros ?? 0n) + spentMicros,
		},
	};
}
