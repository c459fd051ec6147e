import type { RefusalReason, SettlementTerms, TransferAuthorization } from "../onchain/onchain.js";

/** One way for facilitators to read every payment, whichever envelope it came in: x402 v2's. */
export function toExactPayload(terms: SettlementTerms, authorization: TransferAuthorization) {
	const { from, to, value, validAfter, validBefore, nonce, signature } = authorization;
	const requirements = {
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

/** What the words of facilitators mean; @x402/evm's and those that x402's specification lists. */
const REASONS: Readonly<Record<string, RefusalReason>> = {
	insufficient_funds: "insufficient_funds",
	invalid_exact_evm_insufficient_balance: "insufficient_funds",
	invalid_exact_evm_payload_insufficient_balance: "insufficient_funds",
	invalid_exact_evm_signature: "invalid_signature",
	invalid_exact_evm_payload_signature: "invalid_signature",
	invalid_exact_evm_payload_signature_address: "invalid_signature",
	invalid_exact_evm_failed_to_parse_signature: "invalid_signature",
	eip6492_factory_not_allowed: "invalid_signature",
	invalid_exact_evm_payload_authorization_valid_before: "expired",
	payment_expired: "expired",
	invalid_exact_evm_payload_authorization_valid_after: "not_yet_valid",
	invalid_exact_evm_nonce_already_used: "nonce_used",
	invalid_exact_evm_payload_authorization_nonce: "nonce_used",
	invalid_exact_evm_network_mismatch: "network_mismatch",
	invalid_network: "network_mismatch",
	invalid_exact_evm_authorization_value: "invalid_amount",
	invalid_exact_evm_payload_authorization_value: "invalid_amount",
	invalid_exact_evm_payload_authorization_value_mismatch: "invalid_amount",
	invalid_exact_evm_recipient_mismatch: "wrong_recipient",
	invalid_exact_evm_payload_recipient_mismatch: "wrong_recipient",
	invalid_payload: "invalid_payload",
	unsupported_payload_type: "invalid_payload",
	invalid_exact_evm_transaction_failed: "settlement_failed",
	invalid_exact_evm_transaction_simulation_failed: "settlement_failed",
	invalid_exact_evm_transfer_event_mismatch: "settlement_failed",
};

/** Undefined for unknown codes: they may stand for anything, even a pending transaction. */
export function findRefusal(word: string | undefined): RefusalReason | undefined {
	return word !== undefined && Object.hasOwn(REASONS, word) ? REASONS[word] : undefined;
}

const SENTENCES: Record<RefusalReason, string> = {
	insufficient_funds: "The wallet does not hold the amount.",
	invalid_signature: "The signature is not the wallet's for this transfer.",
	expired: "The authorization is over, or too close to its end to be settled.",
	not_yet_valid: "The authorization is not valid yet.",
	nonce_used: "The authorization was used or canceled before; sign a new one with another nonce.",
	network_mismatch: "The payment is for another network.",
	invalid_amount: "The authorization is for another amount.",
	wrong_recipient: "The authorization pays somebody else.",
	settlement_failed: "The chain did not carry out the transfer.",
	invalid_payload: "The payment cannot be read.",
};

/** A refusal in our own words: the facilitator's message may name its addresses and keys. */
export function toRefusal(reason: RefusalReason) {
	return { kind: "refused", reason, message: SENTENCES[reason] } as const;
}
