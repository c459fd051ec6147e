import { PREPAID_METHOD } from "../../src/contract/contract.js";
import type { ReceiptRow } from "../../store/store.js";
import { PaymentRefused } from "../onchain/onchain.js";
import { type Offer, type PaymentMethod, PaymentRequired, type Quote } from "../payments.js";
import type { ChallengeIssuer, ChargeTerms } from "./challenge-issuer.js";
import { toChallengeOffer } from "./payment-challenge.js";
import { toReceiptHeaders } from "./payment-receipt.js";

/** One answer to a challenge of ours for exactly this request. */
export interface PrepaidUse {
	/** A challenge pays once: sent again, its credential finds the same receipt. */
	readonly idempotencyKey: string;
	receiptHeaders(receipt: ReceiptRow): Readonly<Record<string, string>>;
	/** The same refusal with a new challenge of this method, which its clients expect of every 402. */
	refuse(error: unknown): unknown;
}

/** The prepaid method of the "Payment" scheme: the proof is a Shared Payment Token, the ledger does the rest. */
export interface PrepaidCharge {
	/** A new challenge, for callers without a credential. */
	ask(quote: Quote): Pick<Offer, "headers" | "mpp">;
	/** Throws PAYMENT_REJECTED for a challenge that is not ours, has expired or is of another request. */
	open(echo: unknown, quote: Quote): PrepaidUse;
}

export function createPrepaidCharge({
	issuer,
}: {
	readonly issuer: ChallengeIssuer;
}): PrepaidCharge {
	const ask = (quote: Quote) => toChallengeOffer(issuer.issue(toTerms(quote)));
	const offerAgain = (quote: Quote): Offer => ({
		continuation: ANSWER_AGAIN,
		accepts: [],
		...ask(quote),
	});

	return {
		ask,
		open(echo, quote) {
			const { id } = recognize(issuer, echo, { quote, offer: () => offerAgain(quote) });
			return {
				idempotencyKey: `mpp:${id}`,
				receiptHeaders: ({ id: reference, at }) =>
					toReceiptHeaders({ method: PREPAID_METHOD, reference, challengeId: id, at }),
				refuse: (error) =>
					error instanceof PaymentRequired ? withOffer(error, offerAgain(quote)) : error,
			};
		},
	};
}

/** The same method, whose offer carries the challenge of the scheme as well. */
export function offerPrepaid(method: PaymentMethod, charge: PrepaidCharge): PaymentMethod {
	return {
		...method,
		offer(quote) {
			const offer = method.offer(quote);
			if (!offer) return undefined;
			const { headers, mpp } = charge.ask(quote);
			return { ...offer, headers: { ...offer.headers, ...headers }, ...(mpp && { mpp }) };
		},
	};
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
