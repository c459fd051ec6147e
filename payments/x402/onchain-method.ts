import type { Clock } from "../../src/core/clock.js";
import type { Ids } from "../../src/core/ids.js";
import type { Logger } from "../../src/core/logger.js";
import type { Store } from "../../store/store.js";
import type { HeldAdmission, OnchainMethod, OnchainRequest } from "../admission.js";
import type { Offer, Quote } from "../challenge.js";
import type { Ledger } from "../ledger.js";
import type { SptIssuer } from "../spt/spt-issuer.js";
import { replayOf, replayOrRefuse } from "./delivery.js";
import type { Desk } from "./desk.js";
import type { PaymentEnvelope } from "./envelope.js";
import type { ChainReader, Facilitator, SettlementTerms } from "./facilitator.js";
import { holdSettled, holdUnsent, insist, letGo } from "./held-payment.js";
import { type PaymentClaim, payerOf } from "./payment-claim.js";
import { createPaymentWatch, type OpenPayments } from "./payment-watch.js";
import { purchase } from "./purchase.js";
import { createReconciler, type Reconciler } from "./reconciler.js";
import { type Reservation, reserve } from "./reservation.js";
import { openHold } from "./settled-money.js";
import { createSettler } from "./settler.js";
import { envelopeOf, readClaim, readSigned, verify } from "./verification.js";

export interface OnchainMethodDeps {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: Logger;
	readonly terms: SettlementTerms;
	readonly facilitator: Facilitator;
	/** Without it a facilitator's word is all there is, and a payment it does not speak of stays unknown. */
	readonly chain?: ChainReader | undefined;
	/** In the order in which they are offered. */
	readonly envelopes: readonly PaymentEnvelope[];
	readonly issueCredit: SptIssuer["issueFrom"];
}

/** The method with what keeps it honest over restarts and lost answers. */
export interface OnchainDesk extends OnchainMethod, Reconciler {
	/** Payments that are not at an end, for health and reports. */
	openPayments(): OpenPayments;
}

/**
 * Payments whose money moves on a chain. Each is reserved durably and bound to one request before anybody is asked about
 * it; it settles at most once and ends as exactly one of captured, credited or never sent (docs/adr/0014).
 */
export function createOnchainMethod(deps: OnchainMethodDeps): OnchainDesk {
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
		if (reservation.kind === "captured") return replayOrRefuse(desk, claim, reservation.row);
		const { isProven } = reservation;
		if (reservation.kind === "funded")
			return takeSettled(desk, claim, { id: reservation.row.id, isProven });
		const { earlier } = reservation;
		await verify(desk, claim);
		if (earlier) await letGo(desk, claim, "paid_before");
		if (earlier?.kind === "receipt") return replayOf(desk, claim, earlier.receiptId);
		if (earlier?.kind === "funded")
			return takeSettled(desk, claim, { id: earlier.row.id, isProven });
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
): Promise<HeldAdmission> {
	const settling = desk.settler.settle(claim.id, openHold(desk, claim));
	const hold = await insist(desk, claim, settling);
	const row = await desk.store.read((reader) => reader.get("payments", claim.id));
	if (!row) throw new Error(`The payment ${claim.id} was settled and cannot be read.`);
	return holdSettled(desk, claim, { row, hold, isProven });
}

/** Money that is here already is held for this call; nothing is sent. */
async function takeSettled(
	desk: Desk,
	claim: PaymentClaim,
	{ id, isProven }: { id: string; isProven: boolean },
): Promise<HeldAdmission> {
	const { value: hold, row } = await desk.settler.spend(id, openHold(desk, claim));
	return holdSettled(desk, claim, { row, hold, isProven });
}
