import { LIMITS, type Payment } from "../../src/contract/contract.js";
import type { Ids } from "../../src/kernel/kernel.js";
import type { HoldRow, PaymentRow } from "../../store/store.js";
import {
	type HeldAdmission,
	isPayment,
	type LaunchedAdmission,
	type Ledger,
	type Offer,
	type PaymentProof,
	type PricedAdmission,
	type Quote,
} from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";
import { launchedOrRefuse, replayOf, replayOrRefuse, toLaunched } from "./delivery.js";
import type { PaymentEnvelope } from "./envelope.js";
import { holdSettled, holdUnsent, insist, letGo } from "./held-payment.js";
import type { OnchainContext, OnchainMethod, OnchainRequest } from "./onchain-context.js";
import { type PaymentClaim, payerOf } from "./payment-claim.js";
import { createPaymentWatch, type OpenPayments } from "./payment-watch.js";
import { purchase } from "./purchase.js";
import { createReconciler, type Reconciler } from "./reconciler.js";
import { type Reservation, reserve } from "./reservation.js";
import { openHold } from "./settled-money.js";
import type { QuestionDeps } from "./settlement-question.js";
import { createSettler } from "./settler.js";
import { envelopeOf, readClaim, readSigned, verify } from "./verification.js";

export interface OnchainMethodDeps extends QuestionDeps {
	readonly ledger: Ledger;
	readonly ids: Ids;
	/** In the order in which they are offered. */
	readonly envelopes: readonly PaymentEnvelope[];
	readonly issueCredit: SptIssuer["issueFrom"];
}

/** The method with what keeps it honest over restarts and lost answers. */
export interface OnchainPayments extends OnchainMethod, Reconciler {
	/** Payments that are not at an end, for health and reports. */
	openPayments(): OpenPayments;
}

/**
 * Payments whose money moves on a chain. Each is reserved durably and bound to one request before anybody is asked about
 * it; it settles at most once and ends as exactly one of captured, credited or never sent (docs/adr/0014).
 */
export function createOnchainMethod(deps: OnchainMethodDeps): OnchainPayments {
	const { envelopes, clock } = deps;
	const watch = createPaymentWatch(() => clock.monotonicMs());
	const offers = (quote: Quote): readonly Offer[] =>
		envelopes.flatMap((envelope) => envelope.offer(quote) ?? []);
	const settler = createSettler({ ...deps, watch });
	const context: OnchainContext = { ...deps, watch, settler, offers };
	return {
		offers,
		rails: ["x402", "mpp"],
		accepts: isPayment,

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
		openPayments: () => watch.open(),
		...createReconciler({ ...deps, watch, settler }),
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
	context: OnchainContext,
	claim: PaymentClaim,
	{ earlier, isProven }: Extract<Reservation, { kind: "fresh" }>,
): Promise<PricedAdmission> {
	await verify(context, claim);
	if (earlier) await letGo(context, claim, "paid_before");
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
	context: OnchainContext,
	request: OnchainRequest,
	work: (claim: PaymentClaim, reservation: Reservation) => Promise<T>,
): Promise<T> {
	const claim = readClaim(context, request);
	const reservation = await reserve(context, claim);
	try {
		return await work(claim, reservation);
	} catch (error) {
		context.watch.end(claim.id);
		if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded") {
			context.watch.end(reservation.earlier.row.id);
		}
		throw error;
	}
}

async function settleFirst(
	context: OnchainContext,
	claim: PaymentClaim,
	isProven: boolean,
): Promise<HeldAdmission | LaunchedAdmission> {
	try {
		claim.request.job?.reserve();
	} catch (error) {
		await letGo(context, claim, "no_room");
		throw error;
	}
	const settling = context.settler.settle(claim.id, openHold(context, claim, { isProven }));
	const hold = await insist(context, claim, settling);
	const row = await context.store.read((reader) => reader.get("payments", claim.id));
	if (!row) throw new Error(`The payment ${claim.id} was settled and cannot be read.`);
	return toHeld(context, claim, { row, hold, isProven });
}

/** Money that is here already is held for this call; nothing is sent. */
async function takeSettled(
	context: OnchainContext,
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
	context: OnchainContext,
	claim: PaymentClaim,
	held: { row: PaymentRow; hold: HoldRow; isProven: boolean },
): HeldAdmission | LaunchedAdmission {
	const { row, hold } = held;
	if (hold.jobId === undefined) return holdSettled(context, claim, held);
	if (row.id !== claim.id) context.watch.end(row.id);
	return toLaunched(context, claim, { row, jobId: hold.jobId, isNew: true });
}

/** A new payment under the key of a job: never sent, and its wallet is who launched it. */
async function relaunched(
	context: OnchainContext,
	claim: PaymentClaim,
	jobId: string,
): Promise<LaunchedAdmission> {
	const row = await context.store.read(async (reader) => {
		const paid = await reader.findBy("payments", "owner", claim.payer.owner);
		return paid.find((payment) => payment.jobId === jobId);
	});
	return toLaunched(context, claim, { row, jobId, isNew: false });
}
