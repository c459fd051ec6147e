import type { Ids } from "../../src/kernel/kernel.js";
import type { HoldRow, PaymentRow } from "../../store/store.js";
import type {
	HeldAdmission,
	LaunchedAdmission,
	Ledger,
	Offer,
	OnchainMethod,
	OnchainRequest,
	PricedAdmission,
	Quote,
} from "../payments.js";
import type { SptIssuer } from "../spt/spt.js";
import { launchedOrRefuse, replayOf, replayOrRefuse, toLaunched } from "./delivery.js";
import type { PaymentEnvelope } from "./envelope.js";
import { holdSettled, holdUnsent, insist, letGo } from "./held-payment.js";
import type { Desk } from "./onchain-context.js";
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
export interface OnchainContext extends OnchainMethod, Reconciler {
	/** Payments that are not at an end, for health and reports. */
	openPayments(): OpenPayments;
}

/**
 * Payments whose money moves on a chain. Each is reserved durably and bound to one request before anybody is asked about
 * it; it settles at most once and ends as exactly one of captured, credited or never sent (docs/adr/0014).
 */
export function createOnchainMethod(deps: OnchainMethodDeps): OnchainContext {
	const { envelopes, clock } = deps;
	const watch = createPaymentWatch(() => clock.monotonicMs());
	const offers = (quote: Quote): readonly Offer[] =>
		envelopes.flatMap((envelope) => envelope.offer(quote) ?? []);
	const settler = createSettler({ ...deps, watch });
	const desk: Desk = { ...deps, watch, settler, offers };
	return {
		offers,
		identify: (payment) => payerOf(readSigned(envelopeOf(envelopes, payment), payment)),
		admit: (request) => working(desk, request, admit),
		purchase: (request, alongside) =>
			working(desk, request, (claim, reservation) =>
				purchase(desk, claim, { reservation, alongside }),
			),
		openPayments: () => watch.open(),
		...createReconciler({ ...deps, watch, settler }),
	};

	async function admit(claim: PaymentClaim, reservation: Reservation) {
		switch (reservation.kind) {
			case "job":
				return launchedOrRefuse(desk, claim, reservation);
			case "captured":
				return replayOrRefuse(desk, claim, reservation.row);
			case "funded":
				return takeSettled(desk, claim, reservation);
			case "fresh":
				return admitFresh(desk, claim, reservation);
		}
	}
}

async function admitFresh(
	desk: Desk,
	claim: PaymentClaim,
	{ earlier, isProven }: Extract<Reservation, { kind: "fresh" }>,
): Promise<PricedAdmission> {
	await verify(desk, claim);
	if (earlier) await letGo(desk, claim, "paid_before");
	switch (earlier?.kind) {
		case "receipt":
			return replayOf(desk, claim, earlier.receiptId);
		case "job":
			return relaunched(desk, claim, earlier.jobId);
		case "funded":
			return takeSettled(desk, claim, { row: earlier.row, isProven });
		case undefined:
			if (!claim.request.settlesFirst) return holdUnsent(desk, claim);
			return settleFirst(desk, claim, isProven);
	}
}

/** Reads, checks and reserves the payment; whatever then fails leaves it free for the next try. */
async function working<T>(
	desk: Desk,
	request: OnchainRequest,
	work: (claim: PaymentClaim, reservation: Reservation) => Promise<T>,
): Promise<T> {
	const claim = readClaim(desk, request);
	const reservation = await reserve(desk, claim);
	try {
		return await work(claim, reservation);
	} catch (error) {
		desk.watch.end(claim.id);
		if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded") {
			desk.watch.end(reservation.earlier.row.id);
		}
		throw error;
	}
}

async function settleFirst(
	desk: Desk,
	claim: PaymentClaim,
	isProven: boolean,
): Promise<HeldAdmission | LaunchedAdmission> {
	try {
		claim.request.job?.reserve();
	} catch (error) {
		await letGo(desk, claim, "no_room");
		throw error;
	}
	const settling = desk.settler.settle(claim.id, openHold(desk, claim, { isProven }));
	const hold = await insist(desk, claim, settling);
	const row = await desk.store.read((reader) => reader.get("payments", claim.id));
	if (!row) throw new Error(`The payment ${claim.id} was settled and cannot be read.`);
	return toHeld(desk, claim, { row, hold, isProven });
}

/** Money that is here already is held for this call; nothing is sent. */
async function takeSettled(
	desk: Desk,
	claim: PaymentClaim,
	{ row: funded, isProven }: { row: PaymentRow; isProven: boolean },
): Promise<HeldAdmission | LaunchedAdmission> {
	claim.request.job?.reserve();
	const opening = openHold(desk, claim, { isProven });
	const { value: hold, row } = await desk.settler.spend(funded.id, opening);
	return toHeld(desk, claim, { row, hold, isProven });
}

/** Held for this call, or by the job that it launched. */
function toHeld(
	desk: Desk,
	claim: PaymentClaim,
	held: { row: PaymentRow; hold: HoldRow; isProven: boolean },
): HeldAdmission | LaunchedAdmission {
	const { row, hold } = held;
	if (hold.jobId === undefined) return holdSettled(desk, claim, held);
	if (row.id !== claim.id) desk.watch.end(row.id);
	return toLaunched(desk, claim, { row, jobId: hold.jobId, isNew: true });
}

/** A new payment under the key of a job: never sent, and its wallet is who launched it. */
async function relaunched(
	desk: Desk,
	claim: PaymentClaim,
	jobId: string,
): Promise<LaunchedAdmission> {
	const row = await desk.store.read(async (reader) => {
		const paid = await reader.findBy("payments", "owner", claim.payer.owner);
		return paid.find((payment) => payment.jobId === jobId);
	});
	return toLaunched(desk, claim, { row, jobId, isNew: false });
}
