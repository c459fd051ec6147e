import { PaymentRequired } from "../../payments/challenge.js";
import type { CallResult } from "../core/call.js";
import type { Payment } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";

/** Names of the x402 transport for this protocol (x402 v2, transports: MCP). */
const X402 = {
	required: "x402/payment-required",
	payment: "x402/payment",
	response: "x402/payment-response",
} as const;

type Meta = Readonly<Record<string, unknown>>;

/**
 * The one payment in a request's `_meta`, decoded and not judged; undefined where none is. Throws INVALID_ARGUMENT for one
 * that cannot be read.
 */
export function paymentOf(meta: Meta | undefined): Payment | undefined {
	const payload = meta?.[X402.payment];
	if (payload === undefined) return undefined;
	if (!isRecord(payload)) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			`"_meta.${X402.payment}" must be a payment payload, a JSON object.`,
		);
	}
	return { scheme: "x402", version: payload["x402Version"] === 1 ? 1 : 2, payload };
}

/** How a refusal for money is paid, beside its text; undefined for any other refusal and where nothing can pay. */
export function demandMetaOf(error: ServiceError): Meta | undefined {
	if (!(error instanceof PaymentRequired)) return undefined;
	const required = error.challenge.offers.find(({ x402 }) => x402)?.x402;
	return required && { [X402.required]: required };
}

/** Where a payment for this call settled; undefined for calls that were paid from a balance. */
export function receiptMetaOf({ paymentHeaders }: CallResult): Meta | undefined {
	const encoded = paymentHeaders?.["PAYMENT-RESPONSE"];
	if (encoded === undefined) return undefined;
	return { [X402.response]: JSON.parse(Buffer.from(encoded, "base64").toString("utf8")) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
