import {
	type Caller,
	LIMITS,
	type Payment,
	type PurchaseOperationId,
	type SettlementWire,
} from "../../src/contract/contract.js";
import type { Micros } from "../../src/kernel/kernel.js";
import type { HoldRow, PaymentRow, ReceiptRow, StoreTransaction } from "../../store/store.js";
import {
	custAccount,
	type HeldAdmission,
	isPayment,
	type LaunchedAdmission,
	type PaymentMethod,
	type PaymentProof,
	type PricedAdmission,
} from "../payments.js";
import {
	holdSettled,
	holdUnsent,
	launchedOrRefuse,
	receiptHeaders,
	releaseUnsent,
	replayOf,
	replayOrRefuse,
	requireSettled,
	toLaunched,
	usedWithReceipt,
} from "./delivery.js";
import type { OnchainContext } from "./onchain-context.js";
import { type OnchainRequest, type PaymentClaim, payerOf } from "./payment-claim.js";
import { createPaymentMarks } from "./payment-marks.js";
import { createPaymentWatch } from "./payment-watch.js";
import { createReconciler } from "./reconciler.js";
import { creditedPayment, type Reservation, reserve, usedPayment } from "./reservation.js";
import { type Along, creditSettled, openHold, writeReceipt } from "./settlement-book.js";
import { createSettler, type SettlingContext } from "./settler.js";
import { envelopeOf, offersOf, readClaim, readSigned, verify } from "./verification.js";

/** Where a purchase finds its money, inside the transaction that books the settlement. */
export interface SettledFunds {
	/** Ledger account that holds the settled amount now: `cust:<wallet>`. */
	readonly account: string;
	/** CAIP-10 account id of the wallet. */
	readonly owner: string;
	readonly amountMicros: Micros;
	readonly paymentId: string;
	readonly settlement: SettlementWire;
}

export interface Purchased<T> {
	readonly value: T;
	readonly payer: Caller;
	readonly settlement: SettlementWire;
	readonly receiptId: string;
	readonly headers: Readonly<Record<string, string>>;
	delivered?(): void;
}

/** Books what is bought, and names the token that took the money. */
type Alongside<T> = (
	tx: StoreTransaction,
	funds: SettledFunds,
) => Promise<{ readonly value: T; readonly tokenId: string }>;

/** Ways to pay whose money moves on a chain: x402 in both versions, and MPP's evm charge. */
export interface OnchainMethod extends PaymentMethod {
	/** Settles and books what is bought in one transaction. Throws PAYMENT_ALREADY_USED on a repeat. */
	purchase<T>(request: OnchainRequest, alongside: Alongside<T>): Promise<Purchased<T>>;
}

/** The method with what keeps it honest over restarts and lost answers. */
export type OnchainPayments = ReturnType<typeof createOnchainMethod>;

/** Each payment is reserved durably for one request before it is verified, settles at most once and ends captured, credited or unsent (docs/adr/0014). */
export function createOnchainMethod(deps: Omit<OnchainContext, "watch" | "marks">) {
	const { envelopes, store } = deps;
	const [watch, marks] = [createPaymentWatch(store), createPaymentMarks(deps)];
	const settler = createSettler({ ...deps, watch, marks });
	const context: SettlingContext = { ...deps, watch, marks, settler };
	const { resume, takeUp, reconcile, refresh, forgetExpired } = createReconciler(context);
	const method: OnchainMethod = {
		offers: (quote) => offersOf(envelopes, quote),
		rails: ["x402", "mpp"],
		schemes: ["x402", "mpp"],

		async identify(proof) {
			const payment = paymentOf(proof);
			return payerOf(readSigned(envelopeOf(envelopes, payment), payment));
		},

		admit: ({ proof, payer: _, capture, ...priced }) => {
			const settlesFirst =
				capture !== "onResult" || priced.quote.amountMicros >= LIMITS.settleFirstMicros;
			const request = { ...priced, payment: paymentOf(proof), settlesFirst };
			return working(context, request, admit);
		},

		purchase: (request, alongside) =>
			working(context, request, (claim, reservation) =>
				purchase(context, claim, { reservation, alongside }),
			),
	};
	return {
		...method,
		resume,
		takeUp,
		reconcile,
		refresh,
		forgetExpired,
		/** Payments that are not at an end, for health and reports. */
		openPayments: watch.open,
	};

	async function admit(claim: PaymentClaim, reservation: Reservation) {
		switch (reservation.kind) {
			case "job":
				return launchedOrRefuse(context, claim, reservation);
			case "captured":
				return replayOrRefuse(context, claim, reservation.row);
			case "funded":
				return takeSettled(context, claim, reservation);
			case "fresh":
				return admitFresh(context, claim, reservation);
		}
	}
}

function paymentOf(proof: PaymentProof): Payment {
	if (isPayment(proof)) return proof;
	throw new Error("A credential pays from its balance, not on a chain.");
}

async function admitFresh(
	context: SettlingContext,
	claim: PaymentClaim,
	{ earlier, isProven }: Extract<Reservation, { kind: "fresh" }>,
): Promise<PricedAdmission> {
	await verify(context, claim);
	if (earlier) await releaseUnsent(context, claim, "paid_before");
	switch (earlier?.kind) {
		case "receipt":
			return replayOf(context, claim, earlier.receiptId);
		case "job":
			return relaunched(context, claim, earlier.jobId);
		case "funded":
			return takeSettled(context, claim, { row: earlier.row, isProven });
		case undefined:
			if (!claim.request.settlesFirst) return holdUnsent(context, claim);
			return settleFirst(context, claim, isProven);
	}
}

/** Reads, checks and reserves the payment; whatever then fails leaves it free for the next try. */
async function working<T>(
	context: SettlingContext,
	request: OnchainRequest,
	work: (claim: PaymentClaim, reservation: Reservation) => Promise<T>,
): Promise<T> {
	const claim = readClaim(context, request);
	const reservation = await reserve(context, claim);
	try {
		return await work(claim, reservation);
	} catch (error) {
		context.marks.end(claim.id);
		if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded") {
			context.marks.end(reservation.earlier.row.id);
		}
		throw error;
	}
}

async function settleFirst(
	context: SettlingContext,
	claim: PaymentClaim,
	isProven: boolean,
): Promise<HeldAdmission | LaunchedAdmission> {
	try {
		claim.request.job?.reserve();
	} catch (error) {
		await releaseUnsent(context, claim, "no_room");
		throw error;
	}
	const settling = context.settler.settle(claim.id, openHold(context, claim, { isProven }));
	const hold = await requireSettled(claim, settling);
	const row = await context.store.read((reader) => reader.get("payments", claim.id));
	if (!row) throw new Error(`The payment ${claim.id} was settled and cannot be read.`);
	return toHeld(context, claim, { row, hold, isProven });
}

/** Money that is here already is held for this call; nothing is sent. */
async function takeSettled(
	context: SettlingContext,
	claim: PaymentClaim,
	{ row: funded, isProven }: { row: PaymentRow; isProven: boolean },
): Promise<HeldAdmission | LaunchedAdmission> {
	claim.request.job?.reserve();
	const opening = openHold(context, claim, { isProven });
	const { value: hold, row } = await context.settler.spend(funded.id, opening);
	return toHeld(context, claim, { row, hold, isProven });
}

/** Held for this call, or by the job that it launched. */
function toHeld(
	context: SettlingContext,
	claim: PaymentClaim,
	held: { row: PaymentRow; hold: HoldRow; isProven: boolean },
): HeldAdmission | LaunchedAdmission {
	const { row, hold } = held;
	if (hold.jobId === undefined) return holdSettled(context, claim, held);
	if (row.id !== claim.id) context.marks.end(row.id);
	return toLaunched(context, claim, { row, jobId: hold.jobId, isNew: true });
}

/** A new payment under the key of a job: never sent, and its wallet is who launched it. */
async function relaunched(
	context: SettlingContext,
	claim: PaymentClaim,
	jobId: string,
): Promise<LaunchedAdmission> {
	const row = await context.store.read(async (reader) => {
		const paid = await reader.findBy("payments", "owner", claim.payer.owner);
		return paid.find((payment) => payment.jobId === jobId);
	});
	return toLaunched(context, claim, { row, jobId, isNew: false });
}

/** Returns no secret: its caller has sent the secret of the token it fills. */
const TOP_UP = "spt.top_up" satisfies PurchaseOperationId;

/** Settles at once and books what is bought in the same transaction. */
async function purchase<T>(
	context: SettlingContext,
	claim: PaymentClaim,
	{ reservation, alongside }: { reservation: Reservation; alongside: Alongside<T> },
): Promise<Purchased<T>> {
	const { settler, marks } = context;
	const along = bookPurchase(context, claim, alongside);
	if (reservation.kind === "job") throw new Error(`The payment ${claim.id} launched a job.`);
	if (reservation.kind === "captured") throw boughtToken(claim, reservation.row.tokenId);
	const isSecret = claim.request.quote.operationId !== TOP_UP;
	if (isSecret && !reservation.isProven) throw await withoutSecret(context, claim, reservation);
	if (reservation.kind === "fresh") {
		await verify(context, claim);
		const { earlier } = reservation;
		if (earlier) await releaseUnsent(context, claim, "paid_before");
		if (earlier?.kind === "receipt") throw await usedWithReceipt(context, claim, earlier.receiptId);
	}
	const fundedId = fundedIdOf(reservation);
	const bought = fundedId
		? (await settler.spend(fundedId, along)).value
		: await requireSettled(claim, settler.settle(claim.id, along));
	marks.end(claim.id);
	if (fundedId) marks.end(fundedId);
	const { value, settlement, receipt } = bought;
	const { amountMicros, at } = receipt;
	return {
		value,
		payer: claim.payer,
		settlement,
		receiptId: receipt.id,
		headers: receiptHeaders(claim, { settlement, amountMicros, at }),
	};
}

function fundedIdOf(reservation: Reservation): string | undefined {
	if (reservation.kind === "funded") return reservation.row.id;
	if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded")
		return reservation.earlier.row.id;
	return undefined;
}

/** The payment is public, so its caller is unproven: the money becomes a token of the wallet, which a new payment of that wallet recovers. */
async function withoutSecret(
	{ settler, issueCredit }: SettlingContext,
	claim: PaymentClaim,
	{ kind, row }: { kind: "fresh" | "funded"; row: PaymentRow },
) {
	if (kind === "fresh") {
		return usedPayment(claim, "was sent before, and refused");
	}
	const { row: credited } = await settler.spend(row.id, creditSettled(issueCredit));
	return creditedPayment(claim, credited.tokenId);
}

function boughtToken(claim: PaymentClaim, tokenId: string | undefined) {
	return usedPayment(
		claim,
		`has bought balance for the token ${tokenId}; its secret was shown once, and POST /v1/spt with "recover": true collects what was never used`,
		{ body: { token_id: tokenId } },
	);
}

interface Bought<T> {
	readonly value: T;
	readonly settlement: SettlementWire;
	readonly receipt: ReceiptRow;
}

/** What is bought with settled money, booked with it or not at all; its receipt names the posting that brought the money. */
function bookPurchase<T>(
	{ clock, ids }: SettlingContext,
	claim: PaymentClaim,
	alongside: Alongside<T>,
): Along<Bought<T>> {
	return async (tx, booked) => {
		const { row, settlement, settlementId } = booked;
		const { value, tokenId } = await alongside(tx, {
			account: custAccount(row.owner),
			owner: row.owner,
			amountMicros: row.amountMicros,
			paymentId: row.id,
			settlement,
		});
		const receipt = await writeReceipt(tx, claim, {
			booked,
			id: ids.next("rcpt"),
			holdId: row.id,
			transactionId: settlementId,
			now: clock.now(),
		});
		return {
			value: { value, settlement, receipt },
			change: { state: "captured", receiptId: receipt.id, tokenId, isDelivered: true },
		};
	};
}
