import type { Clock } from "../../src/core/clock.js";
import type { Payment } from "../../src/core/credential.js";
import { ServiceError } from "../../src/core/errors.js";
import type { Ids } from "../../src/core/ids.js";
import { LIMITS } from "../../src/core/limits.js";
import type { Logger } from "../../src/core/logger.js";
import type { Store } from "../../store/store.js";
import type {
	HeldAdmission,
	OnchainMethod,
	OnchainRequest,
	ReplayedAdmission,
} from "../admission.js";
import type { Offer, Quote } from "../challenge.js";
import type { Ledger } from "../ledger.js";
import type { SptIssuer } from "../spt/spt-issuer.js";
import { checkAuthorization } from "./authorization-check.js";
import { within } from "./deadline.js";
import { type PaymentEnvelope, PaymentRefused } from "./envelope.js";
import type { ChainReader, Facilitator, SettlementTerms } from "./facilitator.js";
import {
	holdSettled,
	holdUnsent,
	insist,
	letGo,
	openHold,
	receiptHeaders,
	replayOf,
	toCharged,
} from "./held-payment.js";
import { type PaymentClaim, payerOf, toClaim } from "./payment-claim.js";
import {
	facilitatorUnreachable,
	rejectedPayment,
	unreadablePayment,
	usedPayment,
} from "./payment-errors.js";
import { createPaymentWatch, type OpenPayments } from "./payment-watch.js";
import { bookPurchase } from "./purchase.js";
import { createReconciler, type Reconciler } from "./reconciler.js";
import { type Reservation, reserve } from "./reservation.js";
import { createSettler } from "./settler.js";

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
		identify: (payment) => {
			try {
				return payerOf(envelopeOf(envelopes, payment).read(payment));
			} catch (error) {
				throw error instanceof PaymentRefused ? unreadablePayment(error.message) : error;
			}
		},
		admit: (request) => working(desk, request, admit),
		purchase: (request, alongside) =>
			working(desk, request, (claim, reservation) =>
				purchase(desk, claim, { reservation, alongside }),
			),
		openPayments: () => watch.open(),
		...createReconciler(desk),
	};

	async function admit(claim: PaymentClaim, reservation: Reservation) {
		if (reservation.kind === "captured") return replayOrRefuse(desk, claim, reservation.row);
		if (reservation.kind === "funded") return takeSettled(desk, claim, reservation.row.id);
		const { earlier } = reservation;
		await verify(desk, claim);
		if (earlier) await letGo(desk, claim, "paid_before");
		if (earlier?.kind === "receipt") return replayOf(desk, claim, earlier.receiptId);
		if (earlier?.kind === "funded") return takeSettled(desk, claim, earlier.row.id);
		if (!claim.request.settlesFirst) return holdUnsent(desk, claim);
		return settleFirst(desk, claim);
	}
}

type Desk = Parameters<typeof holdUnsent>[0] &
	Parameters<typeof createReconciler>[0] &
	OnchainMethodDeps;

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

function readClaim(
	{ envelopes, terms, clock, offers }: Desk,
	request: OnchainRequest,
): PaymentClaim {
	const { payment, quote } = request;
	const envelope = envelopeOf(envelopes, payment);
	const signed = readSigned(envelope, payment);
	try {
		envelope.match(payment, quote);
		checkAuthorization(signed, { terms, amountMicros: quote.amountMicros, now: clock.now() });
	} catch (error) {
		if (!(error instanceof PaymentRefused)) throw error;
		const { reason, message } = error;
		throw rejectedPayment(
			{ envelope, request, signed },
			{ reason, message, offers: offers(quote) },
		);
	}
	return toClaim(request, { envelope, signed });
}

function readSigned(envelope: PaymentEnvelope, payment: Payment) {
	try {
		return envelope.read(payment);
	} catch (error) {
		throw error instanceof PaymentRefused ? unreadablePayment(error.message) : error;
	}
}

function envelopeOf(envelopes: readonly PaymentEnvelope[], payment: Payment): PaymentEnvelope {
	const envelope = envelopes.find((candidate) => candidate.accepts(payment));
	if (envelope) return envelope;
	throw new ServiceError(
		"PAYMENT_REJECTED",
		"Payments of this kind are not accepted here; GET /v1/payments/methods lists what is.",
	);
}

/** Throws PAYMENT_REJECTED, or UPSTREAM when nobody could be asked; the reservation is given up in both cases. */
async function verify(desk: Desk, claim: PaymentClaim): Promise<void> {
	const { facilitator, terms, clock, offers } = desk;
	// A facilitator that throws at once must not escape the reservation.
	const asked = Promise.resolve().then(() => facilitator.verify(terms, claim.signed.authorization));
	const verdict = await within(asked, LIMITS.verifyTimeoutMs, clock).catch(
		async (error: unknown) => {
			await letGo(desk, claim, "unverified");
			throw facilitatorUnreachable(error);
		},
	);
	if (verdict.kind === "valid") return;
	const { reason, message } = verdict;
	// A signature that is none can never become one: nothing to remember.
	await letGo(desk, claim, reason, { forget: reason === "invalid_signature" });
	throw rejectedPayment(claim, { reason, message, offers: offers(claim.request.quote) });
}

async function settleFirst(desk: Desk, claim: PaymentClaim): Promise<HeldAdmission> {
	const settling = desk.settler.settle(claim.id, openHold(desk, claim));
	const hold = await insist(desk, claim, settling);
	const row = await desk.store.read((reader) => reader.get("payments", claim.id));
	if (!row) throw new Error(`The payment ${claim.id} was settled and cannot be read.`);
	return holdSettled(desk, claim, { row, hold });
}

/** Money that is here already is held for this call; nothing is sent. */
async function takeSettled(desk: Desk, claim: PaymentClaim, id: string): Promise<HeldAdmission> {
	const { value: hold, row } = await desk.settler.spend(id, openHold(desk, claim));
	return holdSettled(desk, claim, { row, hold });
}

/**
 * A payment's calldata is public once it settled, so a copy of it proves nothing: only an answer that never left, or the
 * retry key that came with the payment, is answered again.
 */
async function replayOrRefuse(
	desk: Desk,
	claim: PaymentClaim,
	row: Extract<Reservation, { kind: "captured" }>["row"],
): Promise<ReplayedAdmission> {
	const { idempotencyId } = claim;
	const hasKey = idempotencyId !== undefined && row.idempotencyId === idempotencyId;
	const receiptId = row.receiptId ?? "";
	if (hasKey || !row.isDelivered) return replayOf(desk, claim, receiptId);
	throw await usedWithReceipt(desk, claim, receiptId);
}

async function usedWithReceipt(desk: Desk, claim: PaymentClaim, receiptId: string) {
	const { store, offers } = desk;
	const receipt = await store.read((reader) => reader.get("receipts", receiptId));
	const charged = receipt && toCharged(claim, receipt);
	return usedPayment(claim, {
		boughtAs: `has bought its answer; the receipt is ${receiptId}`,
		offers: offers(claim.request.quote),
		body: { receipt_id: receiptId },
		...(charged?.settlement && {
			report: {
				kind: "settled",
				settlement: charged.settlement,
				amountMicros: charged.receipt.amountMicros,
				at: charged.receipt.at,
			},
		}),
	});
}

type Alongside<T> = Parameters<typeof bookPurchase<T>>[2];

async function purchase<T>(
	desk: Desk,
	claim: PaymentClaim,
	{ reservation, alongside }: { reservation: Reservation; alongside: Alongside<T> },
) {
	const { settler, watch } = desk;
	const along = bookPurchase(desk, claim, alongside);
	if (reservation.kind === "captured") throw boughtToken(desk, claim, reservation.row.tokenId);
	if (reservation.kind === "fresh") {
		await verify(desk, claim);
		const { earlier } = reservation;
		if (earlier) await letGo(desk, claim, "paid_before");
		if (earlier?.kind === "receipt") throw await usedWithReceipt(desk, claim, earlier.receiptId);
	}
	const fundedId = fundedIdOf(reservation);
	const bought = fundedId
		? (await settler.spend(fundedId, along)).value
		: await insist(desk, claim, settler.settle(claim.id, along));
	watch.end(claim.id);
	if (fundedId) watch.end(fundedId);
	const { value, settlement, receipt } = bought;
	const { amountMicros, at } = receipt;
	return {
		value,
		payer: claim.payer,
		settlement,
		headers: receiptHeaders(claim, { settlement, amountMicros, at }),
	};
}

function fundedIdOf(reservation: Reservation): string | undefined {
	if (reservation.kind === "funded") return reservation.row.id;
	if (reservation.kind === "fresh" && reservation.earlier?.kind === "funded")
		return reservation.earlier.row.id;
	return undefined;
}

function boughtToken({ offers }: Desk, claim: PaymentClaim, tokenId: string | undefined) {
	return usedPayment(claim, {
		boughtAs: `has bought balance for the token ${tokenId}; its secret was shown once, and POST /v1/spt with "recover": true collects what was never used`,
		offers: offers(claim.request.quote),
		body: { token_id: tokenId },
	});
}
