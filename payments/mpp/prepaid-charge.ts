import { PREPAID_METHOD } from "../../src/contract/contract.js";
import type { ReceiptRow } from "../../store/store.js";
import { PaymentRefused } from "../onchain/onchain.js";
import {
	type Offer,
	type PaymentMethod,
	PaymentRequired,
	type PricedAdmission,
	type Quote,
} from "../payments.js";
import {
	type ChallengeIssuer,
	type ChargeTerms,
	toChallengeOffer,
	toReceiptHeaders,
} from "./payment-challenge.js";

/**
 * The same method, paid in the "Payment" scheme as well: the proof is a Shared Payment Token with a challenge of ours, each
 * challenge pays once, and receipts come in the scheme's own header.
 */
export function withPrepaidCharge(method: PaymentMethod, issuer: ChallengeIssuer): PaymentMethod {
	const ask = (quote: Quote) => toChallengeOffer(issuer.issue(toTerms(quote)));
	return {
		...method,
		offers: (quote) =>
			method.offers(quote).map((offer) => {
				const { headers, mpp } = ask(quote);
				return { ...offer, headers: { ...offer.headers, ...headers }, ...(mpp && { mpp }) };
			}),

		async admit(request) {
			const { proof, quote } = request;
			if (proof.scheme !== "spt" || !proof.challenge) return method.admit(request);
			const offer = () => ({ continuation: ANSWER_AGAIN, accepts: [], ...ask(quote) });
			const { id } = recognize(issuer, proof.challenge, { quote, offer });
			const idempotencyKey = request.idempotencyKey ?? `mpp:${id}`;
			const admission = await method.admit({ ...request, idempotencyKey }).catch((error) => {
				throw error instanceof PaymentRequired ? withOffer(error, offer()) : error;
			});
			return withReceipts(admission, id);
		},
	};
}

/** A job's receipt comes with its end: nothing is taken when it is launched. */
function withReceipts(admission: PricedAdmission, challengeId: string): PricedAdmission {
	const headersOf = ({ id: reference, at }: ReceiptRow) =>
		toReceiptHeaders({ method: PREPAID_METHOD, reference, challengeId, at });
	switch (admission.kind) {
		case "launched":
			return admission;
		case "replayed":
			return { ...admission, headers: headersOf(admission.receipt) };
		case "held":
			return {
				...admission,
				async capture(part) {
					const charged = await admission.capture(part);
					return { ...charged, headers: headersOf(charged.receipt) };
				},
			};
	}
}

const ANSWER_AGAIN = {
	type: "spt",
	header: "X-Pay-SPT",
	instructions:
		"Answer the new challenge with a Shared Payment Token, or send the token itself in the X-Pay-SPT header.",
} as const;

function recognize(
	issuer: ChallengeIssuer,
	echo: unknown,
	{ quote, offer }: { readonly quote: Quote; offer(): Offer },
) {
	try {
		return issuer.recognize(echo, toTerms(quote));
	} catch (error) {
		if (!(error instanceof PaymentRefused)) throw error;
		const challenge = { quote, offers: [offer()], continuations: [ANSWER_AGAIN] };
		throw new PaymentRequired(
			"PAYMENT_REJECTED",
			`${error.message} Nothing was charged.`,
			challenge,
		);
	}
}

function withOffer(error: PaymentRequired, offer: Offer): PaymentRequired {
	const { code, message, challenge } = error;
	return new PaymentRequired(code, message, { ...challenge, offers: [offer] }, { cause: error });
}

/** Amounts in micro-USD: a dollar is 10^6 of them. */
function toTerms(quote: Quote): ChargeTerms {
	const request = { amount: String(quote.amountMicros), currency: "usd", decimals: 6 };
	return { method: PREPAID_METHOD, request, quote };
}
