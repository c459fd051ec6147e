import {
	type BillingType,
	type CostWire,
	LIMITS,
	type ReleaseReason,
} from "../src/contract/contract.js";
import {
	type Clock,
	formatUsd,
	type Ids,
	type Micros,
	ServiceError,
	siblingId,
} from "../src/kernel/kernel.js";
import type {
	HoldRow,
	LedgerEntry,
	LedgerKind,
	ReceiptRow,
	StoreTransaction,
} from "../store/store.js";
import { type OwnersOf, owedOf, shareEntries } from "./owner-shares.js";
import type { Captured, Released } from "./payment-method.js";

export interface HoldTerms
	extends Omit<HoldRow, "id" | "held" | "owners" | "createdAt" | "expiresAt" | "processId"> {
	/** Whose money or promotion it is: `cust:<owner>` or `promo:free_tier`. */
	readonly from: string;
	readonly billingType: BillingType;
	readonly idempotencyId: string | undefined;
}

export const custAccount = (owner: string): string => `cust:${owner}`;
export const heldAccount = (owner: string): string => `held:${owner}`;

type Post = (
	tx: StoreTransaction,
	kind: LedgerKind,
	ref: string,
	entries: readonly LedgerEntry[],
	options?: { key?: string | undefined; memo?: string | undefined },
) => Promise<string>;

export type Ledger = ReturnType<typeof createLedger>;

/**
 * The verbs of the double-entry ledger, each inside the caller's store transaction:
 * credit (source → cust), transfer (cust → cust), authorise (from → held), capture (held → rev, the rest back),
 * release (held → from).
 */
export function createLedger({
	clock,
	ids,
	ownersOf = () => undefined,
}: {
	clock: Clock;
	ids: Ids;
	ownersOf?: OwnersOf;
}) {
	const post: Post = async (tx, kind, ref, entries, { key, memo } = {}) => {
		const id = ids.next("txn");
		await tx.post({ id, key, kind, at: clock.now(), entries, ref, memo });
		return id;
	};

	return {
		/** Who shares in the revenue of a call over these graphs, as it is now. */
		ownersOf,

		async credit(
			tx: StoreTransaction,
			terms: { owner: string; source: string; amountMicros: Micros; key: string; memo?: string },
		): Promise<void> {
			const { owner, source, amountMicros, key, memo } = terms;
			const entries = toEntries(source, custAccount(owner), amountMicros);
			await post(tx, "credit", owner, entries, { key, memo });
		},

		/** Moves balance from one token to another; returns the ledger transaction's id. */
		transfer(
			tx: StoreTransaction,
			terms: { from: string; to: string; amountMicros: Micros; key?: string; memo?: string },
		): Promise<string> {
			const { from, to, amountMicros, key, memo } = terms;
			const entries = toEntries(custAccount(from), custAccount(to), amountMicros);
			return post(tx, "transfer", to, entries, { key, memo });
		},

		async authorize(tx: StoreTransaction, terms: HoldTerms): Promise<HoldRow> {
			const [id, now] = [ids.next("hold"), clock.now()];
			const held = heldAccount(terms.owner);
			// As they are when the price is agreed on: what is sold now is theirs whatever changes meanwhile.
			const owners = terms.from.startsWith("cust:") ? ownersOf(terms.graphIds ?? []) : undefined;
			const expiresAt = now + LIMITS.holdTtlMs;
			const { processId } = tx;
			const opened = { id, held, createdAt: now, expiresAt, processId };
			const hold = { ...terms, ...opened, ...(owners && { owners }) };
			await tx.put("holds", hold);
			await post(tx, "authorise", hold.id, toEntries(hold.from, hold.held, hold.amountMicros));
			return hold;
		},

		/** Captures at most the held amount and returns the ledger transaction's id. Throws when the hold is closed. */
		capture: (tx: StoreTransaction, hold: HoldRow, amountMicros: Micros) =>
			captureHold(post, tx, hold, amountMicros),

		/** Gives a hold back; a hold that is closed already stays as it is. */
		async release(tx: StoreTransaction, hold: HoldRow, reason: ReleaseReason): Promise<void> {
			await touchAttempt(tx, hold);
			// The row, not the copy the call has: money of a token that was revoked since goes elsewhere.
			const open = await tx.get("holds", hold.id);
			if (!open) return;
			await tx.delete("holds", hold.id);
			const entries = toEntries(hold.held, open.from, hold.amountMicros);
			await post(tx, "release", hold.id, entries, { memo: reason });
			await releaseQuota(tx, hold);
			await releaseSpending(tx, hold, hold.amountMicros);
			await forgetAttempt(tx, hold);
		},
	};
}

async function captureHold(
	post: Post,
	tx: StoreTransaction,
	hold: HoldRow,
	amountMicros: Micros,
): Promise<string> {
	await touchAttempt(tx, hold);
	const open = await tx.get("holds", hold.id);
	if (!open) {
		// The sweeper was faster: the money is back with its owner, so the result must not leave.
		throw new ServiceError(
			"UNAVAILABLE",
			"The call took longer than its payment was reserved for; nothing was charged.",
		);
	}
	const rest = hold.amountMicros - amountMicros;
	if (rest < 0n) throw new ServiceError("INTERNAL", "A capture may not exceed its hold.");
	await tx.delete("holds", hold.id);
	if (rest > 0n) await releaseSpending(tx, hold, rest);
	return post(tx, "capture", siblingId(hold.id, "rcpt"), [
		{ account: hold.held, amountMicros: -hold.amountMicros },
		{ account: `rev:${hold.billingType}`, amountMicros },
		...(rest > 0n ? [{ account: open.from, amountMicros: rest }] : []),
		...shareEntries(new Map(), owedOf(amountMicros, open.owners)),
	]);
}

/** The two entries of money that moves from one account to another. */
export function toEntries(from: string, to: string, amountMicros: Micros): readonly LedgerEntry[] {
	return [
		{ account: from, amountMicros: -amountMicros },
		{ account: to, amountMicros },
	];
}

/** Quotas are money-like: a call that is not billable does not count. */
async function releaseQuota(tx: StoreTransaction, hold: HoldRow): Promise<void> {
	for (const key of hold.quotaKeys ?? []) {
		const quota = await tx.get("quotas", key);
		if (quota && quota.used > 0) await tx.put("quotas", { ...quota, used: quota.used - 1 });
	}
}

/** A limit counts what was paid for, not what was tried. */
async function releaseSpending(
	tx: StoreTransaction,
	hold: HoldRow,
	amountMicros: Micros,
): Promise<void> {
	const { spendingId, spendingIds = [] } = hold;
	for (const id of spendingId === undefined ? spendingIds : [spendingId, ...spendingIds]) {
		const row = await tx.get("spending", id);
		if (!row) continue;
		const spentMicros = row.spentMicros - amountMicros;
		await tx.put("spending", { ...row, spentMicros: spentMicros > 0n ? spentMicros : 0n });
	}
}

/** Its row before the balance, as when the hold was opened: transactions of a store that locks what they read never meet in a circle. */
async function touchAttempt(tx: StoreTransaction, { idempotencyId }: HoldRow): Promise<void> {
	if (idempotencyId !== undefined) await tx.get("idempotency", idempotencyId);
}

/** An attempt that was not charged leaves its idempotency key free for the next one; a job's names that job for good. */
async function forgetAttempt(tx: StoreTransaction, hold: HoldRow): Promise<void> {
	if (hold.idempotencyId === undefined) return;
	const row = await tx.get("idempotency", hold.idempotencyId);
	if (row?.holdId !== hold.id) return;
	if (row.jobId === undefined) await tx.delete("idempotency", row.id);
	else await tx.put("idempotency", { ...row, state: "done" });
}

/** Ledger account of money that is on its way back. */
export const REFUNDS_ACCOUNT = "refunds";

export interface RefundTerms {
	/** The receipt or token it refunds. */
	readonly ref: string;
	readonly owner: string;
	/** Ledger account the money lies in now: `rev:<billing type>` or `cust:<token>`. */
	readonly from: string;
	readonly amountMicros: Micros;
	readonly reason: string;
	/** CAIP-10 account it goes to; without one the operator pays it by other means. */
	readonly destination?: string | undefined;
}

/** The receipt of a captured hold; its id is the hold's under another prefix, so a hold has exactly one. */
export function toReceipt(
	hold: HoldRow,
	captured: Captured,
	facts: Pick<ReceiptRow, "fingerprint" | "at" | "graphIds" | "paidUnits">,
): ReceiptRow {
	const { fingerprint, at, graphIds = [], paidUnits } = facts;
	return {
		id: siblingId(hold.id, "rcpt"),
		holdId: hold.id,
		transactionId: captured.transactionId,
		owner: hold.owner,
		rail: hold.rail,
		operationId: hold.operationId,
		billingType: hold.billingType,
		amountMicros: captured.paidMicros,
		balanceAfterMicros: captured.balanceAfterMicros,
		fingerprint,
		at,
		...(graphIds.length > 0 && { graphIds }),
		...(hold.keyId !== undefined && { keyId: hold.keyId }),
		...(hold.idempotencyId !== undefined && { idempotencyId: hold.idempotencyId }),
		...(hold.owners && { owners: hold.owners }),
		...(paidUnits && { paidUnits }),
	};
}

/** Lets the retry key of a call answer with its receipt from now on. */
export async function finishAttempt(
	tx: StoreTransaction,
	id: string | undefined,
	receiptId: string,
): Promise<void> {
	if (id === undefined) return;
	const row = await tx.get("idempotency", id);
	if (row) await tx.put("idempotency", { ...row, state: "done", receiptId });
}

/** What a delivered call cost, for `meta.cost` and the receipt headers. */
export function costOf(receipt: ReceiptRow, options: { replayed?: boolean } = {}): CostWire {
	return {
		amount_usd: formatUsd(receipt.amountMicros),
		billing_type: receipt.billingType,
		rail: receipt.rail,
		balance_after_usd: formatUsd(receipt.balanceAfterMicros),
		receipt_id: receipt.id,
		charged: receipt.amountMicros > 0n,
		...(options.replayed && { replayed: true }),
	};
}

/** The cost of a call that was not charged: no answer, or an operation priced at zero. */
export function noCost({
	billingType,
	rail,
	balanceMicros,
}: Pick<HoldRow, "billingType" | "rail"> & Pick<Released, "balanceMicros">): CostWire {
	return {
		amount_usd: formatUsd(0n),
		billing_type: billingType,
		rail,
		balance_after_usd: balanceMicros === undefined ? null : formatUsd(balanceMicros),
		receipt_id: null,
		charged: false,
	};
}
