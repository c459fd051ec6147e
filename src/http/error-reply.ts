import { PaymentRequired, toHttpChallenge } from "../../payments/payments.js";
import { LIMITS } from "../contract/contract.js";
import { type ErrorCode, invalidArgument, ServiceError } from "../kernel/kernel.js";

/** The one table that turns meaning into HTTP. Spec: Errors. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
	INVALID_ARGUMENT: 400,
	UNAUTHENTICATED: 401,
	PAYMENT_REQUIRED: 402,
	INSUFFICIENT_BALANCE: 402,
	SPENDING_LIMIT: 402,
	PAYMENT_REJECTED: 402,
	PAYMENT_ALREADY_USED: 402,
	SCOPE_FORBIDDEN: 403,
	NOT_FOUND: 404,
	IDEMPOTENCY_IN_FLIGHT: 409,
	IDEMPOTENCY_MISMATCH: 422,
	CONFLICT: 409,
	PRECONDITION_FAILED: 412,
	RATE_LIMITED: 429,
	QUOTA_EXCEEDED: 429,
	INTERNAL: 500,
	UPSTREAM: 500,
	SETTLEMENT_UNKNOWN: 503,
	UNAVAILABLE: 503,
};

const STATUSES_TO_RETRY: ReadonlySet<number> = new Set([409, 429, 503]);

export interface ErrorReply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readonly<Record<string, unknown>>;
}

/** Status, headers and the contract's envelope of a refusal; a refusal for money carries the ways to pay beside it. */
export function toErrorReply(error: ServiceError, requestId: string): ErrorReply {
	const status = STATUS_OF[error.code];
	const challenge = error instanceof PaymentRequired ? toHttpChallenge(error) : undefined;
	return {
		status,
		headers: {
			"Cache-Control": "no-store",
			...(status === 401 && { "WWW-Authenticate": 'Bearer realm="tollgraph"' }),
			...(STATUSES_TO_RETRY.has(status) &&
				error.code !== "CONFLICT" && { "Retry-After": retryAfter(error) }),
			...challenge?.headers,
			...error.reply?.headers,
		},
		body: {
			error: toErrorWire(error, requestId),
			...challenge?.body,
			...error.reply?.body,
		},
	};
}

/** The contract's error object. Spec: Errors. */
export function toErrorWire(error: ServiceError, requestId: string) {
	return {
		code: error.code,
		message: error.message,
		request_id: requestId,
		retryable: error.retryable,
		...(error.details && { details: error.details }),
	};
}

/** Any thrown value as an error a caller may see; an unexpected one becomes INTERNAL without its text. */
export function toServiceError(error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	const message = CLIENT_MISTAKES[typeOf(error)];
	if (message !== undefined) return invalidArgument(message, { cause: error });
	return new ServiceError(
		"INTERNAL",
		"Something went wrong on our side; try again, with growing pauses between tries.",
		{ cause: error },
	);
}

/** Mistakes found by express and its body parser, by the `type` (or class) of the error they throw. */
const CLIENT_MISTAKES: Readonly<Record<string, string>> = {
	"entity.parse.failed": "The body is not valid JSON.",
	"entity.too.large": `The body is larger than ${LIMITS.bodyBytes} bytes.`,
	"encoding.unsupported": "A compressed body is not accepted; send it as it is.",
	"charset.unsupported": "The body must be encoded in UTF-8.",
	"request.size.invalid": "The body is shorter or longer than its Content-Length says.",
	"request.aborted": "The request ended before its body did.",
	URIError: "The path is not correctly percent-encoded.",
};

function typeOf(error: unknown): string {
	if (error instanceof URIError) return "URIError";
	if (typeof error !== "object" || error === null || !("type" in error)) return "";
	return String(error.type);
}

function retryAfter(error: ServiceError): string {
	return String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? LIMITS.retryAfterSeconds)));
}
