import { createHash, randomBytes } from "node:crypto";
import { formatUsd, type Micros } from "../../src/kernel/kernel.js";
import type {
	CommittedTransaction,
	HoldRow,
	IdempotencyRow,
	LedgerEntry,
	LedgerTransaction,
	ReceiptRow,
	RefundRow,
} from "../../store/store.js";
import { isShareAccount, owedOf, shareEntries } from "../payments.js";

export interface HistoryTallyDeps {
	/** Refunds as they were before the reading began. */
	readonly refunds: readonly RefundRow[];
	/** What retry keys said before the reading began, to hold it against all receipts. */
	readonly rows: RetryRows | undefined;
	/** Maps names to 64 bits; salted by default, fixed in tests. */
	readonly markOf?: MarkOf | undefined;
}

export interface RetryRows {
	/** By the receipt that answered it, the fingerprint of its request. */
	readonly answered: ReadonlyMap<string, string>;
	/** Those in flight, and the open holds, of one instant. */
	readonly inFlight: readonly Pick<IdempotencyRow, "holdId">[];
	readonly holds: readonly HoldRow[];
}

/** What was refunded of a receipt, as far as was read. */
export interface RefundedReceipt {
	readonly receiptId: string;
	readonly refundedMicros: Micros;
	/** Undefined when the receipt was not among what was read. */
	readonly chargedMicros: Micros | undefined;
}

/** A broken ledger may be broken a million times; an operator needs the first few. */
const FAILURES_SHOWN = 100;

export type HistoryTally = ReturnType<typeof createHistoryTally>;

/** Judges a history as it passes by: I6, I7, I9, I10 and I11, in memory that grows with settlements, refunds and retry keys only. */
export function createHistoryTally({ refunds, rows, markOf }: HistoryTallyDeps) {
	const doubts: OnceName[] = [];
	const failures: string[] = [];
	const note = (found: readonly string[]) => {
		for (const failure of found) if (failures.length < FAILURES_SHOWN) failures.push(failure);
	};
	const isWhole = rows !== undefined;
	const seen = createSeenNames(markOf);
	const refundCheck = createRefundCheck(refunds, { isWhole });
	const attempts = createAttemptCheck(rows?.answered);
	return {
		see(committed: CommittedTransaction): void {
			note(checkCaptures(committed));
			note(checkShares(committed));
			for (const doubt of findRepeated(committed, seen)) {
				if (doubts.length < FAILURES_SHOWN) doubts.push(doubt);
			}
			noteCash(committed, seen);
			if (isWhole) note(checkPurchases(committed, seen));
			note(attempts.see(committed));
			note(refundCheck.see(committed));
		},
		/** What was wrong so far, and what is missing now that all was read; of I7 see `doubts`. */
		failures(): readonly string[] {
			if (rows) {
				note(refundCheck.missing());
				note(attempts.missing());
				note(checkAttemptsHaveHolds(rows));
			}
			return failures;
		},
		/** What may break I7, to be counted by name in a second reading: marks are shorter than names. */
		doubts: () => doubts,
		refunded: refundCheck.refunded,
	};
}

/** I6: a capture has exactly one receipt, in its own transaction, and a receipt of a call its capture. */
export function checkCaptures({ postings, receipts }: CommittedTransaction): string[] {
	const captures = postings.filter(({ kind }) => kind === "capture");
	const unreceipted = captures.filter(
		({ id }) => receipts.filter(({ transactionId }) => transactionId === id).length !== 1,
	);
	const unpaid = receipts.filter(
		(receipt) => !isPurchase(receipt) && !captures.some((capture) => isPaidBy(receipt, capture)),
	);
	return [
		...unreceipted.map(({ id }) => `I6: the capture ${id} does not have exactly one receipt.`),
		...unpaid.map(({ id }) => `I6: the receipt ${id} stands for no capture of its amount.`),
	];
}

function isPaidBy(receipt: ReceiptRow, { id, entries }: LedgerTransaction): boolean {
	if (receipt.transactionId !== id) return false;
	const isFree = receipt.rail === "plan" && receipt.amountMicros === 0n;
	return isFree || receipt.amountMicros === sumOf(entries, "rev:");
}

/** I11: a capture owes the owners their shares of what its receipt says was paid, and what is owed stands against `shares`. */
function checkShares({ postings, receipts }: CommittedTransaction): string[] {
	const receiptOf = new Map(receipts.map((receipt) => [receipt.transactionId, receipt]));
	return postings.flatMap(({ id, kind, entries }) => {
		const shares = entries.filter(({ account }) => isShareAccount(account));
		if (kind === "capture") {
			const { amountMicros = 0n, owners } = receiptOf.get(id) ?? {};
			const due = shareEntries(new Map(), owedOf(amountMicros, owners));
			return isSame(shares, due)
				? []
				: [`I11: the capture ${id} does not owe the owners of its revenue their shares.`];
		}
		// A payout takes what is owed to where it is paid from, and is held against its row.
		const isBalanced = kind === "refund" || shares.length === 0;
		return isBalanced
			? []
			: [`I11: ${id} changes what owners are owed, and is no capture or refund.`];
	});
}

function isSame(some: readonly LedgerEntry[], others: readonly LedgerEntry[]): boolean {
	const toText = (entries: readonly LedgerEntry[]) =>
		entries
			.map(({ account, amountMicros }) => `${account} ${amountMicros}`)
			.sort()
			.join("\n");
	return toText(some) === toText(others);
}

/** Balance that was bought: its receipt stands for a settlement. */
function isPurchase({ billingType }: ReceiptRow): boolean {
	return billingType === "prepaid";
}

/** I6 for purchases: the settlement may have been booked before the purchase was. */
function checkPurchases({ receipts }: CommittedTransaction, seen: SeenNames): string[] {
	return receipts
		.filter(isPurchase)
		.filter(({ transactionId, amountMicros }) => !seen.has(cashName(transactionId, amountMicros)))
		.map(({ id }) => `I6: the receipt ${id} stands for no settlement of its amount.`);
}

const cashName = (transactionId: string, amountMicros: Micros) =>
	`cash ${transactionId} ${amountMicros}`;

function sumOf(entries: LedgerTransaction["entries"], prefix: string): Micros {
	let sum = 0n;
	for (const { account, amountMicros } of entries) {
		if (account.startsWith(prefix)) sum += amountMicros;
	}
	return sum;
}

/** Money that came in lies in a cash account with its sign turned. */
function noteCash({ postings }: CommittedTransaction, seen: SeenNames): void {
	for (const { id, kind, entries } of postings) {
		if (kind === "settle") seen.add(cashName(id, -sumOf(entries, "cash:")));
	}
}

/** A name that a sound history holds once, and the sentence that says it does not. */
export interface OnceName {
	readonly name: string;
	readonly sentence: string;
}

/** I7: a payment settles once, has one receipt, and a transaction on the chain is booked once. */
function onceNamesOf({ postings, receipts }: CommittedTransaction): OnceName[] {
	const names: OnceName[] = [];
	const expect = (name: string, sentence: string) => names.push({ name, sentence });
	for (const { kind, key = "", ref } of postings) {
		if (/^(settle|payout):/.test(key)) expect(key, `I7: "${key}" is booked twice.`);
		if (kind === "settle") expect(`payment ${ref}`, `I7: the payment ${ref} is settled twice.`);
	}
	for (const { id, settlement } of receipts) {
		if (!settlement) continue;
		const { paymentId } = settlement;
		expect(`receipt ${paymentId}`, `I7: ${id} is a second receipt of the payment ${paymentId}.`);
	}
	return names;
}

/** What was perhaps there before. */
export function findRepeated(committed: CommittedTransaction, seen: SeenNames): OnceName[] {
	return onceNamesOf(committed).filter(({ name }) => seen.add(name));
}

/** The doubts that a history confirms, counted by their whole names. */
export async function confirmDoubts(
	doubts: readonly OnceName[],
	history: () => AsyncIterable<CommittedTransaction>,
): Promise<string[]> {
	if (doubts.length === 0) return [];
	const counts = new Map(doubts.map(({ name }) => [name, 0]));
	for await (const committed of history()) {
		for (const { name } of onceNamesOf(committed)) {
			const count = counts.get(name);
			if (count !== undefined) counts.set(name, count + 1);
		}
	}
	return doubts.filter(({ name }) => (counts.get(name) ?? 0) > 1).map(({ sentence }) => sentence);
}

/** I9: what a refund row says has been posted, and what was posted stays within the receipt. */
function createRefundCheck(refunds: readonly RefundRow[], { isWhole }: { isWhole: boolean }) {
	const charged = new Map<string, Pick<ReceiptRow, "amountMicros" | "owners">>();
	const refunded = new Map<string, Micros>();
	const unposted = new Map(refunds.map((row) => [`refund:${row.id}`, row]));
	const refs = new Set(refunds.map(({ ref }) => ref));
	return {
		see({ postings, receipts }: CommittedTransaction): readonly string[] {
			for (const { id, amountMicros, owners } of receipts) {
				if (refs.has(id)) charged.set(id, { amountMicros, owners });
			}
			return postings.flatMap((posting) => {
				const { id, kind, key = "", ref, entries } = posting;
				if (kind !== "refund") return [];
				unposted.delete(key);
				if (!ref.startsWith("rcpt_")) return [];
				const before = refunded.get(ref) ?? 0n;
				const now = before - sumOf(entries, "rev:");
				refunded.set(ref, now);
				const receipt = charged.get(ref);
				// What was refunded before the part that is read now is not known here; the next full check sees it.
				if (!receipt || !isWhole || isReversed(posting, receipt, { before, now })) return [];
				return [`I11: the refund ${id} does not take back the owners' shares of ${ref}.`];
			});
		},
		missing: () => [...unposted.values()].map(({ id }) => `I9: the refund ${id} was never posted.`),
		refunded: (): readonly RefundedReceipt[] =>
			[...refunded].map(([receiptId, refundedMicros]) => ({
				receiptId,
				refundedMicros,
				chargedMicros: charged.get(receiptId)?.amountMicros,
			})),
	};
}

function isReversed(
	{ entries }: LedgerTransaction,
	{ amountMicros, owners }: Pick<ReceiptRow, "amountMicros" | "owners">,
	{ before, now }: { readonly before: Micros; readonly now: Micros },
): boolean {
	const due = shareEntries(
		owedOf(amountMicros - before, owners),
		owedOf(amountMicros - now, owners),
	);
	return isSame(
		entries.filter(({ account }) => isShareAccount(account)),
		due,
	);
}

export function checkRefund({
	receiptId,
	refundedMicros,
	chargedMicros,
}: RefundedReceipt): string[] {
	if (chargedMicros === undefined) return [`I9: the receipt ${receiptId} is refunded but unknown.`];
	if (refundedMicros <= chargedMicros) return [];
	return [
		`I9: ${receiptId} charged ${formatUsd(chargedMicros)} USD and was refunded ${formatUsd(refundedMicros)} USD.`,
	];
}

/** I10: an answered idempotency key names a receipt of the same request. */
function createAttemptCheck(answered?: ReadonlyMap<string, string>) {
	const expected = new Map(answered);
	return {
		see({ receipts }: CommittedTransaction): readonly string[] {
			return receipts.flatMap(({ id, fingerprint }) => {
				const asked = expected.get(id);
				expected.delete(id);
				return asked === undefined || asked === fingerprint
					? []
					: [`I10: an idempotency key names ${id}, the receipt of another request.`];
			});
		},
		missing: () =>
			[...expected.keys()].map(
				(id) => `I10: an idempotency key names ${id}, which does not exist.`,
			),
	};
}

function checkAttemptsHaveHolds({ inFlight, holds }: RetryRows): string[] {
	const open = new Set(holds.map(({ id }) => id));
	return inFlight
		.filter(({ holdId }) => !open.has(holdId))
		.map(({ holdId }) => `I10: an idempotency key is in flight under ${holdId}, which is closed.`);
}

/** 64 bits that stand for a name; zero is not among them. */
export type MarkOf = (name: string) => bigint;

const FIRST_SLOTS = 1_024;
const FREE = 0n;

type SeenNames = ReturnType<typeof createSeenNames>;

/**
 * Whether a name was perhaps added before, compared by 64 bits at 16 to 32 bytes a name: a hit must be verified, a miss is
 * certain. Open addressing; a free slot holds zero.
 */
export function createSeenNames(markOf: MarkOf = saltedMarks(randomBytes(16))) {
	let slots = new BigUint64Array(FIRST_SLOTS);
	let size = 0;
	const grow = () => {
		const kept = slots;
		slots = new BigUint64Array(2 * kept.length);
		for (const mark of kept) if (mark !== FREE) slots[slotOf(slots, mark)] = mark;
	};
	return {
		/** Adds the name; false when it was certainly not there. */
		add(name: string): boolean {
			const mark = markOf(name);
			const slot = slotOf(slots, mark);
			if (slots[slot] === mark) return true;
			slots[slot] = mark;
			size += 1;
			if (size * 2 > slots.length) grow();
			return false;
		},
		/** False when the name was certainly not added. */
		has(name: string): boolean {
			const mark = markOf(name);
			return slots[slotOf(slots, mark)] === mark;
		},
	};
}

/** Where the mark is, or else the free slot where it belongs. */
function slotOf(slots: BigUint64Array, mark: bigint): number {
	const last = slots.length - 1;
	let slot = Number(mark & BigInt(last));
	while (slots[slot] !== FREE && slots[slot] !== mark) slot = (slot + 1) & last;
	return slot;
}

/** Payers choose their nonces: without a secret salt they could search for two that share a mark. */
function saltedMarks(salt: Uint8Array): MarkOf {
	return (name) => {
		const mark = createHash("sha256").update(salt).update(name).digest().readBigUInt64LE(0);
		return mark === FREE ? 1n : mark;
	};
}
