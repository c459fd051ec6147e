import { LIMITS } from "../../src/contract/contract.js";
import { nextUtcMonth, toIsoDay, toIsoMonth } from "../../src/kernel/kernel.js";
import type { AccountRow, StoreReader, StoreTransaction } from "../../store/store.js";

const DAY_MS = 24 * 3_600_000;

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
	const date = new Date(now);
	const next =
		monthUsed >= LIMITS.freeCallsPerMonth
			? nextUtcMonth(now)
			: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
	return Math.ceil((next - now) / 1000);
}

function quotaKeys(owner: QuotaOwner, now: number): readonly [month: string, day: string] {
	const id = quotaIdOf(owner);
	return [`${id}|${toIsoMonth(now)}`, `${id}|${toIsoDay(now)}`];
}

/**
 * Whom free calls are counted for. Whoever can open accounts at will has one quota for all of them, those that were
 * erased included: the counter outlives them until its month is over.
 */
function quotaIdOf({ id, subjectHash, quotaId }: QuotaOwner): string {
	return subjectHash ?? quotaId ?? id;
}
