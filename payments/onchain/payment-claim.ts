import { hash } from "node:crypto";
import type { Caller } from "../../src/contract/contract.js";
import type { PaymentRow } from "../../store/store.js";
import type { PaymentEnvelope, PaymentRefused, SignedPayment } from "./envelope.js";
import type { Hex, SettlementTerms, TransferAuthorization } from "./facilitator.js";
import type { OnchainRequest } from "./onchain-context.js";

const ID_CHARS = 32;
const HOUR_MS = 3_600_000;

/** One signed payment and what it is meant to buy. */
export interface PaymentClaim {
	readonly id: string;
	readonly envelope: PaymentEnvelope;
	readonly signed: SignedPayment;
	readonly request: OnchainRequest;
	readonly payer: Caller;
	readonly authorizationHash: string;
	/** The caller's retry key, bound to payer and operation. */
	readonly idempotencyId: string | undefined;
	/** Too late to be sent; what was sent in time may still be asked for. */
	readonly expired: PaymentRefused | undefined;
}

export function toClaim(
	request: OnchainRequest,
	{
		envelope,
		signed,
		expired,
	}: {
		envelope: PaymentEnvelope;
		signed: SignedPayment;
		expired: PaymentRefused | undefined;
	},
): PaymentClaim {
	const payer = payerOf(signed);
	const { idempotencyKey, quote } = request;
	return {
		id: toPaymentId(signed),
		envelope,
		signed,
		request,
		payer,
		authorizationHash: hashAuthorization(signed.authorization),
		expired,
		idempotencyId:
			idempotencyKey === undefined
				? undefined
				: hash("sha256", `${payer.owner}\n${quote.operationId}\n${idempotencyKey}`, "base64url"),
	};
}

/** The wallet as its CAIP-10 account id. */
export function payerOf({ rail, network, authorization }: SignedPayment): Caller {
	return { owner: `${network}:${authorization.from.toLowerCase()}`, rail };
}

/** The reservation's row; it says everything that settling or asking again later needs. */
export function toPaymentRow(claim: PaymentClaim, terms: SettlementTerms, now: number): PaymentRow {
	const { signed, request, payer } = claim;
	const { authorization, rail } = signed;
	const { quote, fingerprint, graphIds } = request;
	return {
		id: claim.id,
		state: "reserved",
		rail,
		network: terms.network,
		asset: terms.asset.toLowerCase(),
		payer: authorization.from,
		nonce: authorization.nonce,
		payTo: authorization.to,
		validAfter: authorization.validAfter,
		validBefore: authorization.validBefore,
		signature: authorization.signature,
		amountMicros: authorization.value,
		owner: payer.owner,
		fingerprint,
		authorizationHash: claim.authorizationHash,
		operationId: quote.operationId,
		billingType: quote.billingType,
		graphIds,
		idempotencyId: claim.idempotencyId,
		createdAt: now,
		updatedAt: now,
		expiresAt: endOfBinding(authorization.validBefore),
	};
}

/** A payment that was never sent is remembered until nobody can send it any more, and an hour for crooked clocks. */
export function endOfBinding(validBefore: number): number {
	return validBefore * 1_000 + HOUR_MS;
}

/** The authorization a row was reserved for, as long as its outcome is open. */
export function authorizationOf(row: PaymentRow): TransferAuthorization {
	return {
		from: row.payer as Hex,
		to: row.payTo as Hex,
		value: row.amountMicros,
		validAfter: row.validAfter,
		validBefore: row.validBefore,
		nonce: row.nonce as Hex,
		signature: (row.signature ?? "0x") as Hex,
	};
}

/** One id for one nonce of one payer, whatever else is signed with it. */
function toPaymentId({ network, authorization }: SignedPayment): string {
	const text = `${network}\n${authorization.from}\n${authorization.nonce}`.toLowerCase();
	return `pay_${hash("sha256", text, "hex").slice(0, ID_CHARS)}`;
}

function hashAuthorization(authorization: TransferAuthorization): string {
	const { from, to, value, validAfter, validBefore, nonce, signature } = authorization;
	const text = [from, to, value, validAfter, validBefore, nonce, signature].join("\n");
	return hash("sha256", text.toLowerCase(), "base64url");
}
