import type { SettlementTerms, TransferAuthorization } from "../onchain/onchain.js";

/** What a payment must say, as x402 v2 writes it. */
export interface ExactRequirements {
	readonly scheme: "exact";
	readonly network: `eip155:${string}`;
	readonly asset: string;
	readonly amount: string;
	readonly payTo: string;
	readonly maxTimeoutSeconds: number;
	readonly extra: { readonly name: string; readonly version: string };
}

/** One way for facilitators to read every payment, whichever envelope it came in: x402 v2's. */
export function toExactPayload(terms: SettlementTerms, authorization: TransferAuthorization) {
	const { from, to, value, validAfter, validBefore, nonce, signature } = authorization;
	const requirements: ExactRequirements = {
		scheme: "exact",
		network: terms.network as `eip155:${string}`,
		asset: terms.asset,
		amount: String(value),
		payTo: terms.payTo,
		maxTimeoutSeconds: Math.max(1, validBefore - validAfter),
		extra: { name: terms.assetName, version: terms.assetVersion },
	};
	const payload = {
		x402Version: 2,
		accepted: requirements,
		payload: {
			signature,
			authorization: {
				from,
				to,
				value: String(value),
				validAfter: String(validAfter),
				validBefore: String(validBefore),
				nonce,
			},
		},
	};
	return { payload, requirements };
}
