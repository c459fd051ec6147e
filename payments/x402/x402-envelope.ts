import type { Payment } from "../../src/contract/contract.js";
import {
	type PaymentEnvelope,
	PaymentRefused,
	type PaymentReport,
	type RefusalReason,
	type SettlementTerms,
	toV1Network,
} from "../onchain/onchain.js";
import type { Quote } from "../payments.js";
import { toX402Offer } from "./x402-offer.js";
import { readX402Payload } from "./x402-payload.js";

/** x402 in both versions: PAYMENT-SIGNATURE and X-PAYMENT in, PAYMENT-RESPONSE and X-PAYMENT-RESPONSE out. */
export function createX402Envelope(terms: SettlementTerms): PaymentEnvelope {
	return {
		rail: "x402",
		accepts: (payment) => payment.scheme === "x402",
		offer: (quote) => toX402Offer(terms, quote),
		read: readX402Payload,
		match: (payment, quote) => matchQuote(payment, { terms, quote }),
		receiptHeaders: (payment, report) => {
			const version = payment.scheme === "x402" ? payment.version : 2;
			const json = JSON.stringify(toSettleResponse(terms, version, report));
			const value = Buffer.from(json).toString("base64");
			return { [version === 1 ? "X-PAYMENT-RESPONSE" : "PAYMENT-RESPONSE"]: value };
		},
	};
}

/** What version 2 repeats of the challenge must be of this challenge; version 1 repeats nothing. */
function matchQuote(
	payment: Payment,
	{ terms, quote }: { terms: SettlementTerms; quote: Quote },
): void {
	const { accepted, resourceUrl } = readX402Payload(payment);
	if (accepted && accepted.network !== terms.network) {
		throw new PaymentRefused(
			"network_mismatch",
			`The payment was made for the network "${accepted.network}"; this service takes ${terms.network}.`,
		);
	}
	if (accepted && accepted.amount !== String(quote.amountMicros)) {
		throw new PaymentRefused(
			"invalid_amount",
			`The accepted amount is ${accepted.amount}; this call costs ${quote.amountMicros} atomic units.`,
		);
	}
	if (accepted && accepted.payTo !== terms.payTo.toLowerCase()) {
		throw new PaymentRefused("wrong_recipient", `The accepted recipient is not ${terms.payTo}.`);
	}
	if (resourceUrl !== undefined && !isSamePath(resourceUrl, quote.resourceUrl)) {
		throw new PaymentRefused(
			"invalid_payload",
			"The payment names another resource than the one it was sent to; ask for this one's own challenge and pay that.",
		);
	}
}

/** Behind a proxy the host has several names; the path has one. */
function isSamePath(named: string, own: string): boolean {
	if (!URL.canParse(named, own)) return false;
	return new URL(named, own).pathname === new URL(own).pathname;
}

function toSettleResponse(terms: SettlementTerms, version: 1 | 2, report: PaymentReport) {
	const network = version === 1 ? (toV1Network(terms.network) ?? terms.network) : terms.network;
	if (report.kind === "failed") {
		return {
			success: false,
			errorReason: X402_REASONS[report.reason],
			transaction: report.transactionHash ?? "",
			network,
			...(report.payer !== undefined && { payer: report.payer }),
		};
	}
	const { transaction, payer } = report.settlement;
	return {
		success: true,
		transaction,
		network,
		payer,
		...(version === 2 && { amount: String(report.amountMicros) }),
	};
}

/** The protocol's own words. */
const X402_REASONS: Readonly<Record<RefusalReason, string>> = {
	insufficient_funds: "insufficient_funds",
	invalid_signature: "invalid_exact_evm_payload_signature",
	expired: "invalid_exact_evm_payload_authorization_valid_before",
	not_yet_valid: "invalid_exact_evm_payload_authorization_valid_after",
	nonce_used: "invalid_transaction_state",
	network_mismatch: "invalid_network",
	invalid_amount: "invalid_exact_evm_payload_authorization_value",
	wrong_recipient: "invalid_exact_evm_payload_recipient_mismatch",
	settlement_failed: "unexpected_settle_error",
	invalid_payload: "invalid_payload",
};
