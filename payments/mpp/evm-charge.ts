import { keccak_256 } from "@noble/hashes/sha3";
import { z } from "zod";
import type { Payment } from "../../src/contract/contract.js";
import { decodeJson, formatUsd } from "../../src/kernel/kernel.js";
import {
	chainIdOf,
	type Hex,
	type PaymentEnvelope,
	PaymentRefused,
	type PaymentReport,
	type SettlementTerms,
	type SignedPayment,
} from "../onchain/onchain.js";
import type { Continuation, Quote } from "../payments.js";
import {
	type ChallengeIssuer,
	type ChargeTerms,
	toChallengeOffer,
	toReceiptHeaders,
} from "./payment-challenge.js";

const METHOD = "evm";
const ASSET_DECIMALS = 6;

/** MPP's evm charge, type `authorization`: an EIP-3009 transfer whose nonce is the hash of the challenge, which binds it to one request (draft-evm-charge). */
export function createEvmCharge(terms: SettlementTerms, issuer: ChallengeIssuer): PaymentEnvelope {
	const chargeFor = (quote: Quote): ChargeTerms => ({
		method: METHOD,
		request: toRequest(terms, quote),
		quote,
	});
	return {
		rail: "mpp",
		accepts: (payment) => payment.scheme === "mpp",

		offer: (quote) => ({
			continuation: howToPay(terms, quote),
			accepts: [],
			...toChallengeOffer(issuer.issue(chargeFor(quote))),
		}),

		read: readCharge,

		match(payment, quote) {
			const { id, realm } = issuer.recognize(parse(payment).challenge, chargeFor(quote));
			const nonce = `0x${Buffer.from(keccak_256(id + realm)).toString("hex")}`;
			if (readCharge(payment).authorization.nonce === nonce) return;
			throw new PaymentRefused(
				"invalid_payload",
				"The authorization's nonce is not the hash of the payment challenge; sign one for this challenge.",
			);
		},

		receiptHeaders: (payment, report) => receiptHeaders(terms, payment, report),
	};
}

const hex = (bytes: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`));
const amount = z.string().regex(/^\d{1,78}$/);
const seconds = z.string().regex(/^\d{1,15}$/);

const chargeSchema = z.object({
	challenge: z.looseObject({ id: z.string(), method: z.literal(METHOD), request: z.string() }),
	payload: z.object({
		type: z.literal("authorization"),
		from: hex(20),
		to: hex(20),
		value: amount,
		validAfter: seconds,
		validBefore: seconds,
		nonce: hex(32),
		/** Longer than 65 bytes where a contract wallet signs. */
		signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){1,2048}$/),
	}),
	source: z.string().optional(),
});

const requestSchema = z.object({
	currency: hex(20),
	methodDetails: z.object({ chainId: z.int().positive() }),
});

function readCharge(payment: Payment): SignedPayment {
	const { challenge, payload, source } = parse(payment);
	const request = requestSchema.safeParse(decodeJson(challenge.request));
	if (!request.success) throw unreadable();
	const network = `eip155:${request.data.methodDetails.chainId}`;
	const from = lower(payload.from);
	if (source !== undefined && source.toLowerCase() !== `did:pkh:${network}:${from}`) {
		throw new PaymentRefused(
			"invalid_payload",
			`The credential's source is not its payer, did:pkh:${network}:${from}.`,
		);
	}
	return {
		rail: "mpp",
		network,
		asset: lower(request.data.currency),
		authorization: {
			from,
			to: lower(payload.to),
			value: BigInt(payload.value),
			validAfter: Number(payload.validAfter),
			validBefore: Number(payload.validBefore),
			nonce: lower(payload.nonce),
			signature: lower(payload.signature),
		},
	};
}

function parse(payment: Payment): z.infer<typeof chargeSchema> {
	const parsed = chargeSchema.safeParse(payment.payload);
	if (parsed.success) return parsed.data;
	throw unreadable();
}

function receiptHeaders(terms: SettlementTerms, payment: Payment, report: PaymentReport) {
	if (report.kind === "failed") return {};
	return toReceiptHeaders({
		method: METHOD,
		reference: report.settlement.transaction,
		challengeId: parse(payment).challenge.id,
		at: report.at,
		chainId: chainIdOf(terms.network),
	});
}

/** What is signed for: amounts in the asset's own units, of which a micro-USD is one. */
function toRequest(terms: SettlementTerms, { amountMicros }: Quote): object {
	return {
		amount: String(amountMicros),
		currency: terms.asset,
		recipient: terms.payTo,
		methodDetails: {
			chainId: chainIdOf(terms.network),
			credentialTypes: ["authorization"],
			decimals: ASSET_DECIMALS,
		},
	};
}

function howToPay(terms: SettlementTerms, { amountMicros }: Quote): Continuation {
	return {
		type: "mpp",
		method: METHOD,
		intent: "charge",
		header: "Authorization: Payment <credential>",
		amount_usd: formatUsd(amountMicros),
		network: terms.network,
		asset: terms.asset,
		asset_name: terms.assetName,
		asset_version: terms.assetVersion,
		instructions:
			'Answer the challenge "WWW-Authenticate: Payment … method=\\"evm\\"" with an EIP-3009 authorization and send the same request again with the header "Authorization: Payment <credential>".',
	};
}

function lower(value: string): Hex {
	return value.toLowerCase() as Hex;
}

function unreadable(): PaymentRefused {
	return new PaymentRefused(
		"invalid_payload",
		'This service takes credentials of the payment method "evm", intent "charge", with a payload of the type "authorization" (EIP-3009).',
	);
}
