import { formatUsd } from "../src/kernel/kernel.js";
import type { Continuation, Offer, PaymentRequired, X402Requirement } from "./challenge.js";

/** What a 402 or 429 carries beside the error envelope, the same for every HTTP transport. */
export interface HttpChallenge {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: {
		/** Version of the `accepts` list; the v2 form travels in the PAYMENT-REQUIRED header. */
		readonly x402Version?: 1;
		readonly accepts?: readonly X402Requirement[];
		readonly price?: { readonly amount_usd: string; readonly billing_type: string };
		readonly continuations: readonly Continuation[];
	};
}

/** Headers and body fields of a refusal for money; a quota refusal (429) carries continuations only. */
export function toHttpChallenge({ code, challenge }: PaymentRequired): HttpChallenge {
	const { quote, offers, continuations } = challenge;
	if (code === "QUOTA_EXCEEDED") return { headers: {}, body: { continuations } };
	return {
		headers: {
			"Cache-Control": "no-store",
			...Object.assign({}, ...offers.map((offer) => offer.headers)),
			[AUTHENTICATE]: authenticateList(offers),
		},
		body: {
			x402Version: 1,
			accepts: offers.flatMap((offer) => offer.accepts),
			...(quote && {
				price: {
					amount_usd: formatUsd(quote.amountMicros),
					billing_type: quote.billingType,
				},
			}),
			continuations,
		},
	};
}

const AUTHENTICATE = "WWW-Authenticate";

/** One list of every scheme a caller may answer: the challenges of the offers, then the bearer realm. */
function authenticateList(offers: readonly Offer[]): string {
	const challenges = offers.flatMap((offer) => offer.headers[AUTHENTICATE] ?? []);
	return [...challenges, 'Bearer realm="tollgraph"'].join(", ");
}
