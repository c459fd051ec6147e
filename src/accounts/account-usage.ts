import { custAccount } from "../../payments/payments.js";
import { hasCard, readQuota, spentThisMonth } from "../../payments/plan/plan.js";
import type { AccountRow, ReceiptRow, Store, UsageCount, UsageRow } from "../../store/store.js";
import {
	type AccountAccess,
	createBoundedWork,
	type Json,
	LIMITS,
	type PageRequest,
} from "../contract/contract.js";
import {
	formatUsd,
	type Micros,
	nextUtcMonth,
	parseUsd,
	ServiceError,
	toIsoDay,
	toIsoTime,
} from "../kernel/kernel.js";
import { requireManager } from "./account-keys.js";
import type { AccountServices } from "./account-services.js";
import type { BudgetOrder, UsageRequest } from "./account-wire.js";

const DAY_MS = 24 * 3_600_000;
const USAGE_DAYS_DEFAULT = 30;

/** What an account has used and may still use, from what each call left beside its receipt. */
export function createAccountUsage({ store, clock }: Pick<AccountServices, "store" | "clock">) {
	const journalReads = createBoundedWork({
		running: LIMITS.journalReadsRunning,
		waiting: LIMITS.journalReadsWaiting,
	});
	return {
		async accountUsage(access: AccountAccess, { by, from, to }: UsageRequest) {
			requireManager(access);
			const now = clock.now();
			const last = to ?? toIsoDay(now);
			const first = from ?? toIsoDay(Date.parse(last) - (USAGE_DAYS_DEFAULT - 1) * DAY_MS);
			const rows = await store.read((reader) =>
				reader.findBy("usage", "accountId", access.accountId),
			);
			const within = rows.filter((row) => isWithin(row, first, last));
			return { by, from: first, to: last, ...toUsageWire(within, by) };
		},

		/** Receipts, newest first. Throws RATE_LIMITED while too many such questions wait already. */
		async accountCalls(access: AccountAccess, page: PageRequest, signal: AbortSignal) {
			requireManager(access);
			const account = await getAccount(store, access.accountId);
			const { limit, cursor } = page;
			const span = { limit, cursor, since: account.createdAt };
			const read = () => store.receipts(account.id, span);
			const { receipts, next = null } = await journalReads(read, signal);
			return { items: receipts.map(toCallWire), next_cursor: next };
		},

		accountQuota: ({ accountId }: AccountAccess) =>
			store.read(async (reader) => {
				const account = await reader.get("accounts", accountId);
				if (!account) throw gone();
				const now = clock.now();
				const quota = await readQuota(reader, account, now);
				const balance = await reader.balance(custAccount(accountId));
				return toQuotaWire(quota, hasCard(account, balance), now);
			}),

		async accountBudget(access: AccountAccess, order: BudgetOrder) {
			requireManager(access);
			const { accountId } = access;
			const changed = await store.transaction(async (tx) => {
				const account = await tx.get("accounts", accountId);
				if (!account) throw gone();
				const row = { ...account, ...toBudgetTerms(order) };
				await tx.put("accounts", row);
				return row;
			});
			const spent = await store.read((reader) => spentThisMonth(reader, accountId, clock.now()));
			return toBudgetWire(changed, spent, clock.now());
		},
	};
}

/** The account as it stands. Throws UNAUTHENTICATED once it is erased. */
export async function getAccount(store: Store, accountId: string): Promise<AccountRow> {
	const account = await store.read((reader) => reader.get("accounts", accountId));
	if (account && account.closedAt === undefined) return account;
	throw gone();
}

export function gone(): ServiceError {
	return new ServiceError("UNAUTHENTICATED", "This account is not there any more.");
}

function toBudgetTerms({ limit_usd, alert_percent }: BudgetOrder) {
	return {
		budgetMicros: limit_usd === null ? undefined : parseUsd(limit_usd),
		budgetAlerts: alert_percent && [...new Set(alert_percent)].sort((a, b) => a - b),
	};
}

/** The budget, what of it is spent or held, and which of its owner's marks that has passed. */
export function toBudgetWire(
	{ budgetMicros, budgetAlerts = [] }: AccountRow,
	spentMicros: Micros,
	now: number,
) {
	const reached = (percent: number) =>
		budgetMicros !== undefined && spentMicros * 100n >= budgetMicros * BigInt(percent);
	const left = budgetMicros === undefined ? undefined : budgetMicros - spentMicros;
	return {
		limit_usd: budgetMicros === undefined ? null : formatUsd(budgetMicros),
		spent_this_month_usd: formatUsd(spentMicros),
		remaining_usd: left === undefined ? null : formatUsd(left > 0n ? left : 0n),
		alert_percent: budgetAlerts,
		alerts_reached: budgetAlerts.filter(reached),
		resets_at: toIsoTime(nextUtcMonth(now)),
	};
}

function toQuotaWire(
	{ monthUsed, dayUsed }: { readonly monthUsed: number; readonly dayUsed: number },
	hasPaymentMethod: boolean,
	now: number,
): Json {
	const [perMonth, perDay] = [LIMITS.freeCallsPerMonth, LIMITS.freeCallsPerDay];
	const monthLeft = Math.max(0, perMonth - monthUsed);
	const dayLeft = hasPaymentMethod ? monthLeft : Math.max(0, perDay - dayUsed);
	return {
		plan: "free",
		has_payment_method: hasPaymentMethod,
		max_price_usd: formatUsd(LIMITS.freeCallMaxMicros),
		remaining: Math.min(monthLeft, dayLeft),
		month: { limit: perMonth, used: monthUsed, resets_at: toIsoTime(nextUtcMonth(now)) },
		day: {
			limit: hasPaymentMethod ? null : perDay,
			used: dayUsed,
			resets_at: toIsoTime(now - (now % DAY_MS) + DAY_MS),
		},
	};
}

/** A row is of one day, or of a month once its days are long over. */
function periodOf({ id }: UsageRow): string {
	return id.slice(id.indexOf("|") + 1);
}

function isWithin(row: UsageRow, first: string, last: string): boolean {
	const period = periodOf(row);
	return first.slice(0, period.length) <= period && period <= last.slice(0, period.length);
}

function toUsageWire(rows: readonly UsageRow[], by: UsageRequest["by"]) {
	const sums = new Map<string, UsageCount>();
	for (const row of rows) {
		for (const [name, count] of Object.entries(countsOf(row, by))) {
			const place = by === "day" ? periodOf(row) : name;
			sums.set(place, sumOf(sums.get(place), count));
		}
	}
	const all = rows.flatMap(({ operations }) => Object.values(operations));
	const items = [...sums].map(([name, count]) => ({ [by]: name, ...toCountWire(count) }));
	const named = (item: Json) => String(item[by]);
	return {
		items: items.sort((a, b) => (named(a) < named(b) ? -1 : 1)),
		total: toCountWire(all.reduce<UsageCount>(sumOf, NO_USE)),
	};
}

const NO_USE: UsageCount = { calls: 0, spentMicros: 0n };

function countsOf({ operations, graphs, keys }: UsageRow, by: UsageRequest["by"]) {
	if (by === "graph") return graphs;
	return by === "key" ? keys : operations;
}

function sumOf(one: UsageCount = NO_USE, { calls, spentMicros }: UsageCount): UsageCount {
	return { calls: one.calls + calls, spentMicros: one.spentMicros + spentMicros };
}

function toCountWire({ calls, spentMicros }: UsageCount) {
	return { calls, spent_usd: formatUsd(spentMicros) };
}

/** A call as its payer may see it again: never what was asked or answered. */
export function toCallWire(receipt: ReceiptRow) {
	return {
		receipt_id: receipt.id,
		at: toIsoTime(receipt.at),
		operation: receipt.operationId,
		billing_type: receipt.billingType,
		graph_ids: receipt.graphIds ?? [],
		key_id: receipt.keyId ?? null,
		amount_usd: formatUsd(receipt.amountMicros),
		balance_after_usd: formatUsd(receipt.balanceAfterMicros),
	};
}
