import { LIMITS } from "../../src/contract/contract.js";
import { formatUsd, type Micros } from "../../src/kernel/kernel.js";
import type { HoldRow, IdempotencyRow, RefundRow } from "../../store/store.js";
import { REFUNDS_ACCOUNT } from "../payments.js";

export type Balances = ReadonlyMap<string, Micros>;

/** What the store held at one instant. */
export interface BooksNow {
	readonly now: number;
	readonly balances: Balances;
	readonly holds: readonly HoldRow[];
	readonly refunds: readonly RefundRow[];
	/** The idempotency rows that open holds name. */
	readonly attempts: ReadonlyMap<string, IdempotencyRow>;
	readonly isChainIntact: boolean;
}

/** The invariants that show in one instant; a sentence for each breach. */
export function checkBalances(books: BooksNow): string[] {
	return [
		...checkSum(books),
		...checkSigns(books),
		...checkHeld(books),
		...checkExpiry(books),
		...(books.isChainIntact ? [] : ["I8: the journal's chain of checksums is broken."]),
		...checkPendingRefunds(books),
		...checkHoldsHaveAttempts(books),
	];
}

function checkSum({ balances }: BooksNow): string[] {
	const sum = total(balances.values());
	return sum === 0n ? [] : [`I1: all entries sum to ${formatUsd(sum)} USD, not to zero.`];
}

function checkSigns({ balances }: BooksNow): string[] {
	return [...balances]
		.filter(([account, amount]) => /^(cust|held):/.test(account) && amount < 0n)
		.map(([account, amount]) => `I3: ${account} is at ${formatUsd(amount)} USD.`);
}

function checkHeld({ balances, holds }: BooksNow): string[] {
	const expected = new Map<string, Micros>();
	for (const hold of holds) {
		expected.set(hold.held, (expected.get(hold.held) ?? 0n) + hold.amountMicros);
	}
	const accounts = new Set([...expected.keys(), ...[...balances.keys()].filter(isHeld)]);
	return [...accounts].flatMap((account) => {
		const [held, open] = [balances.get(account) ?? 0n, expected.get(account) ?? 0n];
		return held === open
			? []
			: [`I4: ${account} holds ${formatUsd(held)} USD, its open holds ${formatUsd(open)} USD.`];
	});
}

function checkExpiry({ holds, now }: BooksNow): string[] {
	// Twice the sweep, so that a sweep under way is not taken for a missing one.
	const deadline = now - 2 * LIMITS.sweepIntervalMs;
	return holds
		.filter((hold) => hold.expiresAt < deadline)
		.map((hold) => `I5: ${hold.id} is still open, long after its expiry.`);
}

/** Money on its way back lies in `refunds` until it is paid, no more and no less. */
function checkPendingRefunds({ balances, refunds }: BooksNow): string[] {
	const held = balances.get(REFUNDS_ACCOUNT) ?? 0n;
	const open = refunds.filter(({ state }) => state !== "paid");
	const expected = total(open.map(({ amountMicros }) => amountMicros));
	return held === expected
		? []
		: [
				`I9: ${REFUNDS_ACCOUNT} holds ${formatUsd(held)} USD, the refunds to be paid are ${formatUsd(expected)} USD.`,
			];
}

/** Payments on a chain keep their retry key themselves. */
function checkHoldsHaveAttempts({ holds, attempts }: BooksNow): string[] {
	return holds
		.filter(({ idempotencyId, paymentId }) => idempotencyId !== undefined && !paymentId)
		.filter((hold) => {
			const row = attempts.get(hold.idempotencyId ?? "");
			return row?.state !== "in_flight" || row.holdId !== hold.id;
		})
		.map((hold) => `I10: ${hold.id} is open, its idempotency row is not in flight under it.`);
}

function isHeld(account: string): boolean {
	return account.startsWith("held:");
}

function total(amounts: Iterable<Micros>): Micros {
	let sum = 0n;
	for (const amount of amounts) sum += amount;
	return sum;
}
