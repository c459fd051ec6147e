import {
	type Clock,
	formatUsd,
	type Micros,
	type Pepper,
	toIsoDay,
} from "../../src/kernel/kernel.js";
import type { StoreReader, StoreTransaction, TokenRow } from "../../store/store.js";
import { assertInScope, type Balance, custAccount, type Ledger } from "../payments.js";
import { howToPay, spendingLimit, tooLittle } from "./spt-refusals.js";
import {
	type Environment,
	findShownToken,
	isSpendable,
	returnExpired,
	unusableToken,
} from "./token.js";

/** Shared Payment Tokens: a prepaid bearer balance; hold and capture are ledger entries, no chain is involved. */
export function createSptBalance(deps: {
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly pepper: Pepper;
	readonly environment: Environment;
	/** Whether tokens can be bought and topped up here, which takes a chain; false where absent. */
	readonly isForSale?: () => boolean;
}): Balance {
	const { ledger, clock, pepper, environment, isForSale = () => false } = deps;
	return {
		rail: "spt",
		schemes: ["spt"],
		offer: (quote) => ({ continuation: howToPay(quote.amountMicros), accepts: [], headers: {} }),

		async identify(store, credential) {
			const secret = credential.scheme === "spt" ? credential.token : "";
			const token = await findShownToken(store, { secret, pepper, environment });
			return store.read(async (reader) => {
				if (!token || !(await isSpendable(reader, token, clock.now()))) {
					throw await unusableToken(reader, token);
				}
				return { owner: token.id, rail: "spt" };
			});
		},

		async authorize(tx, payer, purchase) {
			const now = clock.now();
			const token = await tx.get("tokens", payer.owner);
			// Revoked, expired or frozen between identification and now.
			if (!token || !(await isSpendable(tx, token, now))) throw await unusableToken(tx, token);
			const { amountMicros, operationId, billingType } = purchase.quote;
			const from = custAccount(token.id);
			assertInScope(token, purchase, "token");
			assertWithinCallLimit(token, amountMicros);
			if ((await tx.balance(from)) < amountMicros) {
				await returnExpired(tx, token, { ledger, now });
				const balanceMicros = await tx.balance(from);
				if (balanceMicros < amountMicros) {
					const purpose = "this call costs";
					throw tooLittle({ token, balanceMicros, amountMicros, isForSale: isForSale(), purpose });
				}
			}
			const spendingId = await countSpending(tx, token, { amountMicros, now });
			if (token.usedAt === undefined) await tx.put("tokens", { ...token, usedAt: now });
			return ledger.authorize(tx, {
				from,
				owner: token.id,
				rail: "spt",
				amountMicros,
				operationId,
				billingType,
				idempotencyId: purchase.idempotencyId,
				graphIds: purchase.graphIds,
				...(spendingId !== undefined && { spendingId }),
			});
		},

		async capture(tx, hold, amountMicros = hold.amountMicros) {
			const transactionId = await ledger.capture(tx, hold, amountMicros);
			const balanceAfterMicros = await tx.balance(custAccount(hold.owner));
			return { transactionId, paidMicros: amountMicros, balanceAfterMicros };
		},

		release: (tx, hold, reason) => ledger.release(tx, hold, reason),
		balance: (reader, payer) => reader.balance(custAccount(payer.owner)),
	};
}

const DAY_MS = 24 * 3_600_000;

/** Which counter a token spends in now: `<token>|<UTC day>`. */
const spendingIdOf = (tokenId: string, now: number): string => `${tokenId}|${toIsoDay(now)}`;

/** What a token has held or spent since 00:00 UTC; counted only while it has a limit per day. */
export async function spentToday(reader: StoreReader, tokenId: string, now: number) {
	return (await reader.get("spending", spendingIdOf(tokenId, now)))?.spentMicros ?? 0n;
}

/** Counts an amount toward the token's limits; returns the id of the counter, if any, for a later release. Throws SPENDING_LIMIT. */
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
function assertWithinCallLimit(token: TokenRow, amountMicros: Micros): void {
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
