import { toIsoDay, toIsoMonth } from "../../src/core/clock.js";
import { LIMITS } from "../../src/core/limits.js";
import type { StoreReader, StoreTransaction } from "../../store/store.js";

const DAY_MS = 24 * 3_600_000;

/** The free plan's counters, UTC: `<account>|2026-11` and `<account>|2026-11-21`. */
export interface FreeQuota {
	readonly monthUsed: number;
	readonly dayUsed: number;
}

export async function readQuota(
	reader: StoreReader,
	accountId: string,
	now: number,
): Promise<FreeQuota> {
	const [month, day] = quotaKeys(accountId, now);
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
	accountId: string,
	now: number,
): Promise<readonly string[]> {
	const keys = quotaKeys(accountId, now);
	for (const id of keys) {
		const used = (await tx.get("quotas", id))?.used ?? 0;
		// Kept past its period, so that a late release still finds its counter.
		await tx.put("quotas", { id, used: used + 1, expiresAt: now + 33 * DAY_MS });
	}
	return keys;
}

/** Whole seconds until the exhausted counter starts again: the next UTC day, or the next UTC month. */
export function secondsUntilReset({ monthUsed }: FreeQuota, now: number): number {
	const date = new Date(now);
	const next =
		monthUsed >= LIMITS.freeCallsPerMonth
			? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
			: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
	return Math.ceil((next - now) / 1000);
}

function quotaKeys(accountId: string, now: number): readonly [month: string, day: string] {
	return [`${accountId}|${toIsoMonth(now)}`, `${accountId}|${toIsoDay(now)}`];
}
