import { formatUsd, type Micros, toIsoDay } from "../../src/kernel/kernel.js";
import type { StoreReader, StoreTransaction, TokenRow } from "../../store/store.js";
import { spendingLimit } from "./spt-refusals.js";

const DAY_MS = 24 * 3_600_000;

/** Which counter a token spends in now: `<token>|<UTC day>`. */
const spendingIdOf = (tokenId: string, now: number): string => `${tokenId}|${toIsoDay(now)}`;

/** What a token has held or spent since 00:00 UTC; counted only while it has a limit per day. */
export async function spentToday(reader: StoreReader, tokenId: string, now: number) {
	return (await reader.get("spending", spendingIdOf(tokenId, now)))?.spentMicros ?? 0n;
}

/**
 * Counts an amount towards the token's limits, in the transaction that moves it; returns the counter to give it back to,
 * if there is one. Throws SPENDING_LIMIT.
 */
export async function countSpending(
	tx: StoreTransaction,
	token: TokenRow,
	{ amountMicros, now }: { readonly amountMicros: Micros; readonly now: number },
): Promise<string | undefined> {
	const { maxPerDayMicros: limit } = token;
	if (limit === undefined) return undefined;
	const id = spendingIdOf(token.id, now);
	const spentMicros = (await spentToday(tx, token.id, now)) + amountMicros;
	if (spentMicros > limit) {
		throw spendingLimit(
			`This token spends at most ${formatUsd(limit)} USD a day (UTC); ${formatUsd(spentMicros - amountMicros)} USD are spent or held today, and this takes ${formatUsd(amountMicros)} USD.`,
			{ max_per_day_usd: formatUsd(limit), retry_after_seconds: secondsUntilTomorrow(now) },
		);
	}
	// Kept past its day, so that a late release still finds its counter.
	await tx.put("spending", { id, spentMicros, expiresAt: now + 2 * DAY_MS });
	return id;
}

/** Throws SPENDING_LIMIT for a price above what the token pays for one call. */
export function assertWithinCallLimit(token: TokenRow, amountMicros: Micros): void {
	const { maxPerCallMicros: limit } = token;
	if (limit === undefined || amountMicros <= limit) return;
	throw spendingLimit(
		`This token pays at most ${formatUsd(limit)} USD per call; this one costs ${formatUsd(amountMicros)} USD.`,
		{ max_per_call_usd: formatUsd(limit) },
	);
}

function secondsUntilTomorrow(now: number): number {
	return Math.ceil((DAY_MS - (now % DAY_MS)) / 1000);
}
