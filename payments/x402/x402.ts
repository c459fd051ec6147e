import { z } from "zod";
import type { Payment } from "../../src/contract/contract.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import {
	fromV1Network,
	type Hex,
	type PaymentEnvelope,
	PaymentRefused,
	type PaymentReport,
	type RefusalReason,
	type SettlementTerms,
	type SignedPayment,
	toV1Network,
} from "../onchain/onchain.js";
import type { Offer, Quote, X402Requirement } from "../payments.js";
import { type Discovery, PAYMENT_IDENTIFIER, toDiscovery } from "./discovery.js";

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

/** Seconds a client may take to sign; it sets `validBefore` by them. */
const MAX_TIMEOUT_S = 300;
const MIME_TYPE = "application/json";

/** One offer for clients of both versions: v2 in the PAYMENT-REQUIRED header, v1 in the body of the same 402. */
function toX402Offer(terms: SettlementTerms, quote: Quote): Offer {
	const discovery = toDiscovery(quote);
	const required = toV2Required(terms, quote, discovery);
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
		accepts: toV1Requirements(terms, quote, discovery),
		headers: { "PAYMENT-REQUIRED": Buffer.from(JSON.stringify(required)).toString("base64") },
		x402: required,
	};
}

/** The x402 v2 form of a challenge. */
function toV2Required(terms: SettlementTerms, quote: Quote, discovery?: Discovery) {
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
		...(discovery && { extensions: { bazaar: discovery.bazaar, ...PAYMENT_IDENTIFIER } }),
	};
}

/** Empty when v1 clients do not know the network: one entry they cannot parse would break the whole challenge for them. */
function toV1Requirements(
	terms: SettlementTerms,
	quote: Quote,
	discovery?: Discovery,
): readonly X402Requirement[] {
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
			...(discovery && { outputSchema: discovery.outputSchema }),
			extra: { name: terms.assetName, version: terms.assetVersion },
		},
	];
}

const MAX_SIGNATURE_CHARS = 6_000;

const hex = (pattern: RegExp, what: string) =>
	z
		.string()
		.regex(pattern, what)
		.transform((text) => text.toLowerCase() as Hex);
const address = hex(/^0x[0-9a-fA-F]{40}$/, "must be an address");
const seconds = z
	.union([z.string().regex(/^\d{1,15}$/), z.int().nonnegative()])
	.transform((value) => Number(value));

const evmPayload = z.object({
	signature: hex(/^0x(?:[0-9a-fA-F]{2})+$/, "must be a signature in hexadecimal").refine(
		(text) => text.length <= MAX_SIGNATURE_CHARS,
		"is too long",
	),
	authorization: z.object({
		from: address,
		to: address,
		value: z
			.string()
			.regex(/^\d{1,30}$/, "must be a whole number of atomic units")
			.transform((text) => BigInt(text)),
		validAfter: seconds,
		validBefore: seconds,
		nonce: hex(/^0x[0-9a-fA-F]{64}$/, "must be 32 bytes in hexadecimal"),
	}),
});

const v1Payload = z.object({
	x402Version: z.literal(1),
	scheme: z.literal("exact"),
	network: z.string().max(64),
	payload: evmPayload,
});

const v2Payload = z.object({
	x402Version: z.literal(2),
	resource: z.object({ url: z.string().max(4_096) }).nullish(),
	accepted: z.object({
		scheme: z.literal("exact"),
		network: z.string().max(64),
		amount: z.string().regex(/^\d{1,30}$/, "must be a whole number of atomic units"),
		asset: address,
		payTo: address,
	}),
	payload: evmPayload,
});

/** A payload as its version wraps it; version 1 says nothing of asset, price and resource. */
export interface X402Payload extends SignedPayment {
	readonly accepted?: z.output<typeof v2Payload>["accepted"];
	/** Address of the resource the client means to buy. */
	readonly resourceUrl?: string | undefined;
}

/** Reads either version; both wrap the same EIP-712 signature. Throws PaymentRefused ("invalid_payload"). */
function readX402Payload(payment: Payment): X402Payload {
	if (payment.scheme !== "x402")
		throw new PaymentRefused("invalid_payload", "Not an x402 payload.");
	if (payment.version === 1) {
		const { network, payload } = parse(v1Payload, payment.payload);
		return { ...toSigned(payload), network: fromV1Network(network) ?? network };
	}
	const { accepted, resource, payload } = parse(v2Payload, payment.payload);
	const { network, asset } = accepted;
	return { ...toSigned(payload), network, asset, accepted, resourceUrl: resource?.url };
}

function toSigned({ signature, authorization }: z.output<typeof evmPayload>) {
	return { rail: "x402" as const, authorization: { ...authorization, signature } };
}

function parse<T extends z.ZodType>(schema: T, payload: unknown): z.output<T> {
	const parsed = schema.safeParse(payload);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const where = issue?.path.join(".") || "the payload";
	throw new PaymentRefused(
		"invalid_payload",
		`The payment payload cannot be read: ${where}: ${issue?.message ?? "not as x402 describes it"}.`,
	);
}
