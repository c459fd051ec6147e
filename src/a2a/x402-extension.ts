import { type Message, type Task, TaskState } from "@a2a-js/sdk";
import { X402_EXTENSION_URI } from "../../agent-card/agent-card.js";
import { PaymentRequired } from "../../payments/payments.js";
import type { Payment, SentHeaders, SettlementWire } from "../contract/contract.js";
import type { ServiceError } from "../kernel/kernel.js";
import { agentMessage } from "./a2a-task.js";
import { invalidMessage } from "./message-envelope.js";

/** The payment extension's words on messages, and how a caller turns it on. */

const X402_KEYS = {
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
export function readActivation(headers: SentHeaders): ActiveX402 | undefined {
	if (namesExtension(headers.get("a2a-extensions"))) {
		return { header: "A2A-Extensions", x402Version: 2 };
	}
	if (namesExtension(headers.get("x-a2a-extensions"))) {
		return { header: "X-A2A-Extensions", x402Version: 1 };
	}
	return undefined;
}

function namesExtension(values: readonly string[] = []): boolean {
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

/** The message without its signed payload, which is no one's to read again. */
export function withoutPayload(message: Message): Message {
	if (!message.metadata || !(X402_KEYS.payload in message.metadata)) return message;
	const { [X402_KEYS.payload]: _, ...metadata } = message.metadata;
	return { ...message, metadata };
}

function invalid(key: string, rule: string): ServiceError {
	return invalidMessage(`message.metadata.${key}`, rule);
}

/**
 * Codes of the extension, section 9.1, by the reason a refusal carries; what is signed for something else than was asked
 * counts as a wrong signature.
 */
const CODE_OF_REASON = {
	insufficient_funds: "INSUFFICIENT_FUNDS",
	invalid_signature: "INVALID_SIGNATURE",
	invalid_payload: "INVALID_SIGNATURE",
	wrong_recipient: "INVALID_SIGNATURE",
	expired: "EXPIRED_PAYMENT",
	not_yet_valid: "EXPIRED_PAYMENT",
	nonce_used: "DUPLICATE_NONCE",
	network_mismatch: "NETWORK_MISMATCH",
	invalid_amount: "INVALID_AMOUNT",
	settlement_failed: "SETTLEMENT_FAILED",
} as const;
const CODES: ReadonlyMap<string, PaymentErrorCode> = new Map(Object.entries(CODE_OF_REASON));

export type PaymentErrorCode = (typeof CODE_OF_REASON)[keyof typeof CODE_OF_REASON];

/** The extension's code for a refused payment; undefined when the refusal is about something else. */
export function paymentErrorOf({ code, reply }: ServiceError): PaymentErrorCode | undefined {
	if (code === "PAYMENT_ALREADY_USED") return "DUPLICATE_NONCE";
	if (code !== "PAYMENT_REJECTED") return undefined;
	return CODES.get(String(reply?.body?.["reason"])) ?? "SETTLEMENT_FAILED";
}

/** What a task says of its payment: in the message of its status, as the extension wants it. */
export interface PaymentState {
	readonly status: PaymentStatus;
	/** Every settlement of this task so far, failed ones too. */
	readonly receipts?: readonly PaymentReceipt[];
	readonly required?: Demand | undefined;
	readonly error?: PaymentErrorCode;
}

/** A status message of ours that speaks of a payment. */
export function paymentMessage(
	{ id: taskId, contextId }: Pick<Task, "id" | "contextId">,
	text: string,
	{ status, receipts, required, error }: PaymentState,
): Message {
	return {
		...agentMessage({ taskId, contextId, text }),
		metadata: {
			[X402_KEYS.status]: status,
			...(required && { [X402_KEYS.required]: required }),
			...(error && { [X402_KEYS.error]: error }),
			...(receipts && { [X402_KEYS.receipts]: receipts }),
		},
		extensions: [X402_EXTENSION_URI],
	};
}

/** x402's demand for money, in either version. */
export type Demand = Readonly<Record<string, unknown>>;

/**
 * The demand a refusal carries, the same every HTTP caller gets: version 2 from its header, version 1 from its body.
 * Falls back to version 2 on networks version 1 has no name for; undefined when nothing on a chain is offered.
 */
export function demandOf(error: ServiceError, version: 1 | 2): Demand | undefined {
	if (!(error instanceof PaymentRequired)) return undefined;
	const { offers } = error.challenge;
	const accepts = offers.flatMap((offer) => offer.accepts);
	if (version === 1 && accepts.length > 0) {
		return { x402Version: 1, error: error.message, accepts };
	}
	const header = offers.map(({ headers }) => headers["PAYMENT-REQUIRED"]).find(Boolean);
	return header && JSON.parse(Buffer.from(header, "base64").toString("utf8"));
}

/** One settlement, or one that failed, as x402 reports it. */
export type PaymentReceipt = ReturnType<typeof toReceipt> | ReturnType<typeof toFailedReceipt>;

/** A settlement as a receipt; version 1 of x402 knows networks by its own names. */
export function toReceipt(
	{ transaction, payer, network }: SettlementWire,
	payment: X402Payment | undefined,
) {
	return {
		success: true,
		transaction,
		network: (payment && networkOf(payment)) ?? network,
		payer,
	} as const;
}

/** Nothing was settled, so there is no transaction. */
export function toFailedReceipt(errorReason: string, payment: X402Payment) {
	const network = networkOf(payment) ?? "";
	return { success: false, errorReason, transaction: "", network } as const;
}

const NETWORK_CHARS = 80;

/** The network as the payload names it. */
function networkOf({ version, payload }: X402Payment): string | undefined {
	const envelope = payload as { network?: unknown; accepted?: { network?: unknown } | null };
	const named = version === 1 ? envelope.network : envelope.accepted?.network;
	return typeof named === "string" ? named.slice(0, NETWORK_CHARS) : undefined;
}

/** True for tasks nothing can happen to any more. */
export function isFinal({ status }: Task): boolean {
	return status !== undefined && FINAL.has(status.state);
}

const FINAL: ReadonlySet<TaskState> = new Set([
	TaskState.TASK_STATE_COMPLETED,
	TaskState.TASK_STATE_FAILED,
	TaskState.TASK_STATE_CANCELED,
	TaskState.TASK_STATE_REJECTED,
]);

/** What the task says last of its payment; undefined when the extension has no part in it. */
export function paymentStatusOf({ status }: Task): PaymentStatus | undefined {
	return status?.message?.metadata?.[X402_KEYS.status];
}
