/** The payment extension's words on messages, and how a caller turns it on. */

import type { Message } from "@a2a-js/sdk";
import { X402_EXTENSION_URI } from "../../agent-card/agent-card.js";
import type { HeaderReader, Payment } from "../contract/contract.js";
import { ServiceError } from "../kernel/kernel.js";

export const X402_KEYS = {
	status: "x402.payment.status",
	required: "x402.payment.required",
	payload: "x402.payment.payload",
	receipts: "x402.payment.receipts",
	error: "x402.payment.error",
} as const;

export type PaymentStatus =
	| "payment-required"
	| "payment-submitted"
	| "payment-rejected"
	| "payment-verified"
	| "payment-completed"
	| "payment-failed";

/** The extension as a request turned it on, with the header its answer repeats. */
export interface ActiveX402 {
	readonly header: "A2A-Extensions" | "X-A2A-Extensions";
	/** Form of the demand: the extension's own text and the clients of A2A 0.3 write version 1 of x402. */
	readonly x402Version: 1 | 2;
}

/** How the request turns the extension on; undefined when it does not. */
export function readActivation(header: HeaderReader): ActiveX402 | undefined {
	if (namesExtension(header("a2a-extensions"))) {
		return { header: "A2A-Extensions", x402Version: 2 };
	}
	if (namesExtension(header("x-a2a-extensions"))) {
		return { header: "X-A2A-Extensions", x402Version: 1 };
	}
	return undefined;
}

function namesExtension(values: readonly string[]): boolean {
	return values.some((value) => value.split(",").some((uri) => uri.trim() === X402_EXTENSION_URI));
}

/** What a message says about its payment. */
export type PaymentNote =
	| { readonly kind: "submitted"; readonly payment: X402Payment }
	| { readonly kind: "rejected" };

export type X402Payment = Extract<Payment, { scheme: "x402" }>;

/** Reads the note; a payload is not judged here. Throws INVALID_ARGUMENT for a submission without a readable one. */
export function readPaymentNote({ metadata }: Message): PaymentNote | undefined {
	const status = metadata?.[X402_KEYS.status];
	const payload = metadata?.[X402_KEYS.payload];
	if (status === ("payment-rejected" satisfies PaymentStatus)) return { kind: "rejected" };
	if (status !== ("payment-submitted" satisfies PaymentStatus) && payload === undefined) {
		return undefined;
	}
	if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
		throw invalid(X402_KEYS.payload, "must be a signed x402 payment payload");
	}
	const { x402Version: version } = payload as Record<string, unknown>;
	if (version !== 1 && version !== 2) {
		throw invalid(`${X402_KEYS.payload}.x402Version`, "must be 1 or 2");
	}
	return { kind: "submitted", payment: { scheme: "x402", version, payload } };
}

/** The message without its signed payload, which is nobody's to read again. */
export function withoutPayload(message: Message): Message {
	if (!message.metadata || !(X402_KEYS.payload in message.metadata)) return message;
	const { [X402_KEYS.payload]: _, ...metadata } = message.metadata;
	return { ...message, metadata };
}

function invalid(key: string, rule: string): ServiceError {
	const path = `message.metadata.${key}`;
	return new ServiceError("INVALID_ARGUMENT", `The message is not valid: "${path}" ${rule}.`, {
		details: [{ path, message: rule }],
	});
}
