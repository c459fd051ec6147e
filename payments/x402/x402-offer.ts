import { formatUsd } from "../../src/kernel/kernel.js";
import { type SettlementTerms, toV1Network } from "../onchain/onchain.js";
import type { Offer, Quote, X402Requirement } from "../payments.js";

/** Seconds a client may take to sign; it sets `validBefore` by them. */
const MAX_TIMEOUT_S = 300;
const MIME_TYPE = "application/json";

/** One offer for clients of both versions: v2 in the PAYMENT-REQUIRED header, v1 in the body of the same 402. */
export function toX402Offer(terms: SettlementTerms, quote: Quote): Offer {
	const required = toV2Required(terms, quote);
	return {
		continuation: {
			type: "x402",
			header: "PAYMENT-SIGNATURE",
			alternative_header: "X-PAYMENT",
			amount_usd: formatUsd(quote.amountMicros),
			network: terms.network,
			asset: terms.asset,
			pay_to: terms.payTo,
			instructions:
				"Sign an EIP-3009 transfer of this amount as x402 describes (version 2: the PAYMENT-REQUIRED header; version 1: accepts) and send the same request again with the payload in PAYMENT-SIGNATURE or X-PAYMENT.",
		},
		accepts: toV1Requirements(terms, quote),
		headers: { "PAYMENT-REQUIRED": Buffer.from(JSON.stringify(required)).toString("base64") },
		x402: required,
	};
}

/** The x402 v2 form of a challenge. */
function toV2Required(terms: SettlementTerms, quote: Quote) {
	return {
		x402Version: 2,
		error: "Payment required",
		resource: { url: quote.resourceUrl, description: quote.description, mimeType: MIME_TYPE },
		accepts: [
			{
				scheme: "exact",
				network: terms.network,
				amount: String(quote.amountMicros),
				asset: terms.asset,
				payTo: terms.payTo,
				maxTimeoutSeconds: MAX_TIMEOUT_S,
				extra: { name: terms.assetName, version: terms.assetVersion },
			},
		],
	};
}

/** Empty when v1 clients do not know the network: one entry they cannot parse would break the whole challenge for them. */
function toV1Requirements(terms: SettlementTerms, quote: Quote): readonly X402Requirement[] {
	const network = toV1Network(terms.network);
	if (network === undefined) return [];
	return [
		{
			scheme: "exact",
			network,
			maxAmountRequired: String(quote.amountMicros),
			resource: quote.resourceUrl,
			description: quote.description,
			mimeType: MIME_TYPE,
			payTo: terms.payTo,
			maxTimeoutSeconds: MAX_TIMEOUT_S,
			asset: terms.asset,
			extra: { name: terms.assetName, version: terms.assetVersion },
		},
	];
}
