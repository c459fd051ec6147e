import { hash } from "node:crypto";
import { LIMITS, type ReleaseReason, type SettlementWire } from "../../src/contract/contract.js";
import { type Ids, type Micros, siblingId } from "../../src/kernel/kernel.js";
import {
	type HoldRow,
	LedgerRefusal,
	type PaymentRow,
	type PaymentState,
	type ReceiptRow,
	type StoreTransaction,
} from "../../store/store.js";
import {
	beginAttempt,
	type Credit,
	custAccount,
	owedOf,
	shareEntries,
	toEntries,
} from "../payments.js";
import type { OnchainContext } from "./onchain-context.js";
import type { PaymentClaim } from "./payment-claim.js";

/** What is written when money of a chain moves, each inside the caller's transaction. */

/** Money that is here: the payment's row as it stands, and the posting that brought it. */
export interface Booked {
	readonly row: PaymentRow;
	readonly settlementId: string;
	readonly settlement: SettlementWire;
}

/** What else happens to settled money in the same transaction, and what the row says afterwards. */
export type Along<T> = (
	tx: StoreTransaction,
	booked: Booked,
) => Promise<{ readonly value: T; readonly change: Partial<PaymentRow> }>;

/** States of a payment that was sent and whose outcome is not known for sure. */
export const UNDECIDED: readonly PaymentState[] = ["settling", "unknown", "refused"];

/** Changes the row if it is in one of these states; undefined otherwise. */
export async function changePayment(
	tx: StoreTransaction,
	{ id, from, now }: { id: string; from: readonly PaymentState[]; now: number },
	change: Partial<PaymentRow>,
): Promise<PaymentRow | undefined> {
	const row = await tx.get("payments", id);
	if (!row || !from.includes(row.state)) return undefined;
	const changed = { ...row, ...change, updatedAt: now };
	await tx.put("payments", changed);
	return changed;
}

/** Where money moved on the chain; without a place in the block where no chain was read. */
export interface SettlementPlace {
	readonly transactionHash: string;
	readonly logIndex?: number | undefined;
}

/** Unique ledger key of a transfer: one transaction may settle several payments, so the log index belongs to it wherever the chain is read. */
export function settlementKey(
	network: string,
	{ transactionHash, logIndex }: SettlementPlace,
): string {
	const key = `settle:${network}:${transactionHash.toLowerCase()}`;
	return logIndex === undefined ? key : `${key}:${logIndex}`;
}

/** The place that a key of the ledger names; keys of other things name themselves. */
export function placeIn(key: string): SettlementPlace {
	const [, transactionHash, logIndex] = /:(0x[0-9a-f]{64})(?::(\d+))?$/i.exec(key) ?? [];
	if (transactionHash === undefined) return { transactionHash: key };
	return {
		transactionHash: transactionHash.toLowerCase(),
		...(logIndex !== undefined && { logIndex: Number(logIndex) }),
	};
}

/** Cash on the chain becomes the payer's money; one transfer of the chain is booked once. */
export async function bookSettlement(
	tx: StoreTransaction,
	row: PaymentRow,
	{ place, ids, now }: { place: SettlementPlace; ids: Ids; now: number },
): Promise<Booked> {
	if (place.logIndex === undefined) await acceptOnce(tx, row.network, place.transactionHash);
	const settlementId = ids.next("txn");
	await tx.post({
		id: settlementId,
		key: settlementKey(row.network, place),
		kind: "settle",
		at: now,
		entries: toEntries(`cash:x402:${row.network}`, custAccount(row.owner), row.amountMicros),
		ref: row.id,
	});
	const settled = {
		...row,
		transactionHash: place.transactionHash.toLowerCase(),
		settlementId,
		expiresAt: Math.max(row.expiresAt, now + LIMITS.paymentTtlMs),
	};
	return toBooked(settled);
}

export function toBooked(row: PaymentRow): Booked {
	return { row, settlementId: row.settlementId ?? "", settlement: toSettlement(row) };
}

export function toSettlement(row: PaymentRow): SettlementWire {
	return {
		network: row.network,
		transaction: row.transactionHash ?? "",
		payer: row.payer,
		payment_id: row.id,
	};
}

/** The price of delivered work, straight from the payer's settled money. */
async function bookCapture(
	tx: StoreTransaction,
	{ row }: Booked,
	{
		receiptId,
		ids,
		now,
		owners,
	}: { receiptId: string; ids: Ids; now: number; owners: ReceiptRow["owners"] },
): Promise<string> {
	const id = ids.next("txn");
	await tx.post({
		id,
		kind: "capture",
		at: now,
		entries: [
			...toEntries(custAccount(row.owner), `rev:${row.billingType}`, row.amountMicros),
			...shareEntries(new Map(), owedOf(row.amountMicros, owners)),
		],
		ref: receiptId,
	});
	return id;
}

/** What was asked for with a payment, as its claim or its job remembers it. */
export interface PaidRequest {
	readonly request: { readonly fingerprint: string; readonly graphIds: readonly string[] };
	readonly idempotencyId: string | undefined;
}

/** Writes the receipt of a payment and lets its retry key answer with it. Without a hold `holdId` names the payment itself. */
export async function writeReceipt(
	tx: StoreTransaction,
	{ request, idempotencyId }: PaidRequest,
	facts: Pick<ReceiptRow, "id" | "holdId" | "transactionId"> & {
		readonly booked: Booked;
		readonly now: number;
		/** Where not all of the payment was taken. */
		readonly amountMicros?: Micros;
		readonly owners?: ReceiptRow["owners"];
	},
): Promise<ReceiptRow> {
	const { booked, id, holdId, transactionId, now, owners } = facts;
	const { row, settlement } = booked;
	const receipt: ReceiptRow = {
		id,
		holdId,
		transactionId,
		owner: row.owner,
		rail: row.rail,
		operationId: row.operationId,
		billingType: row.billingType,
		amountMicros: facts.amountMicros ?? row.amountMicros,
		balanceAfterMicros: 0n,
		fingerprint: request.fingerprint,
		at: now,
		graphIds: request.graphIds,
		...(idempotencyId !== undefined && { idempotencyId }),
		...(owners && { owners }),
		settlement: {
			network: settlement.network,
			transactionHash: settlement.transaction,
			payer: settlement.payer,
			paymentId: row.id,
		},
	};
	await tx.put("receipts", receipt);
	if (idempotencyId !== undefined) {
		await tx.put("idempotency", {
			id: idempotencyId,
			fingerprint: request.fingerprint,
			state: "done",
			holdId,
			receiptId: id,
			...(row.jobId !== undefined && { jobId: row.jobId }),
			createdAt: now,
			expiresAt: now + LIMITS.idempotencyTtlMs,
		});
	}
	return receipt;
}

const ID_BYTES = 16;

/** Remembers forever that a transaction was accepted unseen; ledger keys last two days. Rejects with LedgerRefusal ("duplicate_key"). */
async function acceptOnce(
	tx: StoreTransaction,
	network: string,
	transactionHash: string,
): Promise<void> {
	const name = `${network}|${transactionHash.toLowerCase()}`;
	const id = hash("sha256", name, "buffer").subarray(0, ID_BYTES).toString("base64url");
	if (await tx.get("settlements", id)) {
		throw new LedgerRefusal("duplicate_key", `${transactionHash} has settled a payment before.`);
	}
	await tx.put("settlements", { id });
}

/** A hold on settled money, so that only this call, or the job it launches, can use it. */
export function openHold(
	{ ledger, clock }: Pick<OnchainContext, "ledger" | "clock">,
	claim: PaymentClaim,
	{ isProven }: { isProven: boolean },
): Along<HoldRow> {
	return async (tx, { row }) => {
		const { quote, graphIds, fingerprint, job } = claim.request;
		const idempotencyId = job && claim.idempotencyId;
		const hold = await ledger.authorize(tx, {
			from: custAccount(row.owner),
			owner: row.owner,
			rail: row.rail,
			amountMicros: row.amountMicros,
			operationId: row.operationId,
			billingType: quote.billingType,
			idempotencyId,
			graphIds,
			paymentId: row.id,
			...(job && { jobId: job.id }),
		});
		if (!job) return { value: hold, change: { holdId: hold.id } };
		if (idempotencyId !== undefined) {
			const attempt = { fingerprint, holdId: hold.id, jobId: job.id, now: clock.now() };
			await beginAttempt(tx, { id: idempotencyId, ...attempt });
		}
		await job.open(tx, { hold, quote, fingerprint, graphIds, isProven });
		return { value: hold, change: { holdId: hold.id, jobId: job.id } };
	};
}

export function captureAtOnce(
	{ clock, ids, ledger }: Pick<OnchainContext, "clock" | "ids" | "ledger">,
	claim: PaymentClaim,
): Along<ReceiptRow> {
	return async (tx, booked) => {
		const now = clock.now();
		const id = ids.next("rcpt");
		const owners = ledger.ownersOf(claim.request.graphIds);
		const transactionId = await bookCapture(tx, booked, { receiptId: id, ids, now, owners });
		const facts = { booked, id, holdId: booked.row.id, transactionId, now, owners };
		const receipt = await writeReceipt(tx, claim, facts);
		return { value: receipt, change: { state: "captured", receiptId: id } };
	};
}

export function captureHeld(
	{ ledger, clock }: Pick<OnchainContext, "ledger" | "clock">,
	claim: PaymentClaim,
	hold: HoldRow,
): Along<ReceiptRow> {
	return async (tx, booked) => {
		const transactionId = await ledger.capture(tx, hold, hold.amountMicros);
		const facts = {
			booked,
			id: siblingId(hold.id, "rcpt"),
			holdId: hold.id,
			transactionId,
			now: clock.now(),
			owners: hold.owners,
		};
		const receipt = await writeReceipt(tx, claim, facts);
		return { value: receipt, change: { state: "captured", receiptId: receipt.id } };
	};
}

/** A part of what a job holds, and a token of the wallet's with the rest; the whole where no part is named. */
export function captureJob(
	{ ledger, issueCredit, clock }: Pick<OnchainContext, "ledger" | "issueCredit" | "clock">,
	paid: PaidRequest,
	{ hold, amountMicros }: { hold: HoldRow; amountMicros: Micros },
): Along<{ readonly receipt: ReceiptRow; readonly credit: Credit | undefined }> {
	return async (tx, booked) => {
		const transactionId = await ledger.capture(tx, hold, amountMicros);
		const receipt = await writeReceipt(tx, paid, {
			booked,
			id: siblingId(hold.id, "rcpt"),
			holdId: hold.id,
			transactionId,
			now: clock.now(),
			amountMicros,
			owners: hold.owners,
		});
		const restMicros = hold.amountMicros - amountMicros;
		const change = { state: "captured", receiptId: receipt.id } as const;
		if (restMicros === 0n) return { value: { receipt, credit: undefined }, change };
		const credit = await issueTo(issueCredit, tx, { row: booked.row, amountMicros: restMicros });
		return { value: { receipt, credit }, change: { ...change, tokenId: credit.id } };
	};
}

export function creditHeld(
	{ ledger, issueCredit }: Pick<OnchainContext, "ledger" | "issueCredit">,
	{ hold, reason }: { hold: HoldRow; reason: ReleaseReason },
): Along<Credit> {
	return async (tx, booked) => {
		await ledger.release(tx, hold, reason);
		const credit = await creditSettled(issueCredit)(tx, booked);
		return { ...credit, change: { ...credit.change, reason } };
	};
}

/** Settled money that bought nothing becomes a token of the wallet that paid it. */
export function creditSettled(issueCredit: OnchainContext["issueCredit"]): Along<Credit> {
	return async (tx, { row }) => {
		const credit = await issueTo(issueCredit, tx, { row, amountMicros: row.amountMicros });
		return { value: credit, change: { state: "credited", tokenId: credit.id } };
	};
}

async function issueTo(
	issueCredit: OnchainContext["issueCredit"],
	tx: StoreTransaction,
	{ row, amountMicros }: { row: PaymentRow; amountMicros: Micros },
): Promise<Credit> {
	const { owner } = row;
	const label = `credit for ${row.id}`;
	const terms = { amountMicros, owner, origin: "credit", label } as const;
	const { id, token } = await issueCredit(tx, custAccount(owner), terms);
	return { id, token, amountMicros };
}
