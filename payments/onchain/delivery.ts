import type { Abandonment, SettlementWire } from "../../src/contract/contract.js";
import type { HoldRow, PaymentRow, ReceiptRow, StoreTransaction } from "../../store/store.js";
import type {
	Charged,
	HeldAdmission,
	LaunchedAdmission,
	Released,
	ReplayedAdmission,
} from "../payments.js";
import { noteUndelivered } from "../payments.js";
import type { OnchainContext } from "./onchain-context.js";
import type { PaymentClaim } from "./payment-claim.js";
import {
	hasKeyOf,
	isOwed,
	rejectedPayment,
	settlementUnknown,
	usedPayment,
} from "./reservation.js";
import {
	captureAtOnce,
	captureHeld,
	changePayment,
	creditHeld,
	toSettlement,
} from "./settlement-book.js";
import type { Settling, SettlingContext } from "./settler.js";

/** What a payer gets for captured money: the answer once, its receipt always. */

/** Paid for and answered before: the same receipt, the work again at price zero. */
export async function replayOf(
	context: OnchainContext,
	claim: PaymentClaim,
	receiptId: string,
): Promise<ReplayedAdmission> {
	const receipt = await context.store.read((reader) => reader.get("receipts", receiptId));
	if (!receipt) throw new Error(`The receipt ${receiptId} of an earlier call could not be read.`);
	context.marks.linger(claim.id);
	const paymentId = receipt.settlement?.paymentId;
	return {
		kind: "replayed",
		payer: claim.payer,
		...toCharged(claim, receipt),
		delivered: () => markDelivered(context, paymentId ?? claim.id, claim.id),
		abandoned: () => context.marks.end(claim.id),
	};
}

/** The one answer that a copy without a retry key gets counts before the work begins, however it ends. */
async function countReplay({ store, clock }: OnchainContext, id: string): Promise<void> {
	await store.transaction((tx) =>
		changePayment(tx, { id, from: ["captured"], now: clock.now() }, { isDelivered: true }),
	);
}

/** The job that a payment launched: reported to every holder of its retry key, and without one once more, unproven, if its id was never delivered. */
export async function launchedOrRefuse(
	context: OnchainContext,
	claim: PaymentClaim,
	{ row, jobId }: { row: PaymentRow; jobId: string },
): Promise<LaunchedAdmission> {
	if (!hasKeyOf(claim, row)) {
		if (!isOwed(row)) {
			throw usedPayment(claim, "has launched its job, whose id went to its payer", {
				transactionHash: row.transactionHash,
			});
		}
		await context.store.transaction(async (tx) => {
			await markReported(tx, row.id, context.clock.now());
			const job = await tx.get("jobs", jobId);
			if (job) await tx.put("jobs", { ...job, isProven: false });
		});
	}
	return toLaunched(context, claim, { row, jobId, isNew: false });
}

/** Its money is held by a job: from here on the rows alone decide what becomes of it. */
export function toLaunched(
	context: OnchainContext,
	claim: PaymentClaim,
	{ row, jobId, isNew }: { row: PaymentRow | undefined; jobId: string; isNew: boolean },
): LaunchedAdmission {
	const { store, clock, marks } = context;
	marks.linger(claim.id);
	const settlement = row && toSettlement(row);
	const facts = row && settlement && { settlement, amountMicros: row.amountMicros };
	return {
		kind: "launched",
		payer: claim.payer,
		quote: claim.request.quote,
		jobId,
		isNew,
		balanceMicros: undefined,
		...(settlement && { settlement }),
		...(facts && { headers: receiptHeaders(claim, { ...facts, at: row.updatedAt }) }),
		delivered() {
			const mark = (tx: StoreTransaction) => markReported(tx, row?.id ?? claim.id, clock.now());
			const reported = store.transaction(mark, { durability: "deferred" });
			void reported.catch(() => undefined).finally(() => marks.end(claim.id));
		},
		abandoned: () => marks.end(claim.id),
	};
}

function markReported(tx: StoreTransaction, id: string, now: number): Promise<unknown> {
	const from = ["settled", "captured", "credited"] as const;
	return changePayment(tx, { id, from, now }, { isDelivered: true });
}

/** The whole answer left: from now on a copy of the payment buys nothing. */
function markDelivered({ store, clock, marks }: OnchainContext, id: string, claimId = id): void {
	const marked = store.transaction(
		(tx) => changePayment(tx, { id, from: ["captured"], now: clock.now() }, { isDelivered: true }),
		{ durability: "deferred" },
	);
	void marked.catch(() => undefined).finally(() => marks.end(claimId));
}

/** The connection closed; where nothing had left, the price may go back. */
function abandon(context: OnchainContext, id: string, { isLost }: Abandonment): void {
	context.marks.end(id);
	if (!isLost) return;
	noteUndelivered(context, async (tx) => {
		const row = await tx.get("payments", id);
		if (row?.state !== "captured" || row.isDelivered || !row.receiptId) return undefined;
		return { receiptId: row.receiptId, owner: row.owner };
	});
}

function toCharged(claim: PaymentClaim, receipt: ReceiptRow): Charged {
	const { settlement: facts, amountMicros, at } = receipt;
	if (!facts) return { receipt };
	const settlement = {
		network: facts.network,
		transaction: facts.transactionHash,
		payer: facts.payer,
		payment_id: facts.paymentId,
	};
	return { receipt, settlement, headers: receiptHeaders(claim, { settlement, amountMicros, at }) };
}

export function receiptHeaders(
	{ envelope, request }: PaymentClaim,
	settled: { settlement: SettlementWire; amountMicros: bigint; at: number },
): Readonly<Record<string, string>> {
	return envelope.receiptHeaders(request.payment, { kind: "settled", ...settled });
}

/** Calldata is public once settled, so a copy proves nothing: only its retry key replays the answer, or once an answer that was never delivered. */
export async function replayOrRefuse(
	context: OnchainContext,
	claim: PaymentClaim,
	row: PaymentRow,
): Promise<ReplayedAdmission> {
	const receiptId = row.receiptId ?? "";
	if (!hasKeyOf(claim, row)) {
		if (!isOwed(row)) throw await usedWithReceipt(context, claim, receiptId);
		await countReplay(context, claim.id);
	}
	return replayOf(context, claim, receiptId);
}

export async function usedWithReceipt(
	{ store }: Pick<OnchainContext, "store">,
	claim: PaymentClaim,
	receiptId: string,
) {
	const receipt = await store.read((reader) => reader.get("receipts", receiptId));
	return usedPayment(claim, `has bought its answer; the receipt is ${receiptId}`, {
		body: { receipt_id: receiptId },
		transactionHash: receipt?.settlement?.transactionHash,
	});
}

/** What a reserved payment may become: captured, credited, or never sent. */

/** Verified, and sent only once there is an answer: nothing to refund before. */
export function holdUnsent(context: SettlingContext, claim: PaymentClaim): HeldAdmission {
	const { settler, marks } = context;
	const { payer, id, request } = claim;
	return {
		kind: "held",
		id,
		payer,
		quote: request.quote,
		async capture() {
			try {
				const settling = settler.settle(id, captureAtOnce(context, claim));
				const receipt = await requireSettled(claim, settling);
				marks.linger(id);
				return toCharged(claim, receipt);
			} catch (error) {
				marks.end(id);
				throw error;
			}
		},
		async release(reason) {
			await releaseUnsent(context, claim, reason);
			return { balanceMicros: undefined };
		},
		delivered: () => markDelivered(context, id),
		abandoned: (how) => abandon(context, id, how),
	};
}

/** Its money is here, under a hold: captured for an answer, else a token of the payer's. */
export function holdSettled(
	context: SettlingContext,
	claim: PaymentClaim,
	{ row, hold, isProven }: { row: PaymentRow; hold: HoldRow; isProven: boolean },
): HeldAdmission {
	const { marks, settler } = context;
	const settlement = toSettlement(row);
	return {
		kind: "held",
		id: hold.id,
		payer: claim.payer,
		quote: claim.request.quote,
		async capture() {
			try {
				const { value } = await settler.spend(row.id, captureHeld(context, claim, hold));
				marks.linger(row.id);
				return toCharged(claim, value);
			} catch (error) {
				marks.end(row.id);
				throw error;
			}
		},
		async release(reason): Promise<Released> {
			const credit = await settler
				.spend(row.id, creditHeld(context, { hold, reason }))
				.then(({ value }) => value)
				// What cannot be credited now goes back to "settled" with its hold, and is credited later.
				.catch(() => undefined);
			marks.end(row.id);
			const facts = { settlement, amountMicros: row.amountMicros, at: row.updatedAt };
			// Only a missing answer is a successful response, and the "Payment" scheme has no receipts on errors.
			const hasReceipt = reason === "no_answer" || claim.envelope.rail !== "mpp";
			return {
				balanceMicros: undefined,
				settlement,
				...(hasReceipt && { headers: receiptHeaders(claim, facts) }),
				// A copy of the payment from the chain must not collect its money.
				...(credit && isProven && { credit }),
			};
		},
		delivered: () => markDelivered(context, row.id),
		abandoned: (how) => abandon(context, row.id, how),
	};
}

/** The settled value. Throws PAYMENT_REJECTED or SETTLEMENT_UNKNOWN. */
export async function requireSettled<T>(
	claim: PaymentClaim,
	settling: Promise<Settling<T>>,
): Promise<T> {
	const settled = await settling;
	if (settled.kind === "settled") return settled.value;
	if (settled.kind === "unknown") throw settlementUnknown(claim.id);
	throw rejectedPayment(claim, settled);
}

/** Nothing was sent: the payment may be tried again, for the same request. Never throws. */
export async function releaseUnsent(
	{ store, clock, marks }: OnchainContext,
	{ id }: PaymentClaim,
	reason: string,
	{ forget = false }: { forget?: boolean } = {},
): Promise<void> {
	const released = store.transaction(
		async (tx) => {
			const row = await tx.get("payments", id);
			if (forget && row?.state === "reserved") return tx.delete("payments", id);
			const reserved = { id, from: ["reserved"], now: clock.now() } as const;
			await changePayment(tx, reserved, { state: "released", reason, signature: undefined });
			return undefined;
		},
		{ durability: "deferred" },
	);
	// A stopped store answers every later call itself; the next start releases what is only reserved.
	await released.catch(() => undefined);
	marks.end(id);
}
