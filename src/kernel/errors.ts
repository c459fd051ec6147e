import { scrubSecrets } from "./logger.js";

export const ERROR_CODES = [
	"INVALID_ARGUMENT",
	"UNAUTHENTICATED",
	"PAYMENT_REQUIRED",
	"INSUFFICIENT_BALANCE",
	"SPENDING_LIMIT",
	"PAYMENT_REJECTED",
	"PAYMENT_ALREADY_USED",
	"SCOPE_FORBIDDEN",
	"NOT_FOUND",
	"IDEMPOTENCY_IN_FLIGHT",
	"IDEMPOTENCY_MISMATCH",
	"CONFLICT",
	"PRECONDITION_FAILED",
	"RATE_LIMITED",
	"QUOTA_EXCEEDED",
	"INTERNAL",
	"UPSTREAM",
	"SETTLEMENT_UNKNOWN",
	"UNAVAILABLE",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
	"IDEMPOTENCY_IN_FLIGHT",
	"RATE_LIMITED",
	"QUOTA_EXCEEDED",
	"INTERNAL",
	"UPSTREAM",
	"SETTLEMENT_UNKNOWN",
	"UNAVAILABLE",
]);

/** Whether errors of this code may go away by themselves. */
export function isRetryable(code: ErrorCode): boolean {
	return RETRYABLE.has(code);
}

/** One complaint about one place of the input; `path` is dotted (`filters.kind`), empty for the whole body. */
export interface ErrorDetail {
	readonly path: string;
	readonly message: string;
}

export interface ServiceErrorOptions {
	readonly retryable?: boolean;
	readonly retryAfterSeconds?: number;
	readonly details?: readonly ErrorDetail[];
	readonly cause?: unknown;
	readonly reply?: ReplyExtras;
}

/** What a refusal carries beside its envelope, whichever HTTP transport sends it: receipt headers, a credit. */
export interface ReplyExtras {
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * The only error that crosses a folder boundary on purpose. Its message is a whole sentence a caller can act on; a secret
 * that was written where a name belongs is not repeated in it.
 */
export class ServiceError extends Error {
	readonly code: ErrorCode;
	readonly retryable: boolean;
	readonly retryAfterSeconds: number | undefined;
	readonly details: readonly ErrorDetail[] | undefined;
	readonly reply: ReplyExtras | undefined;

	constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
		super(scrubSecrets(message), { cause: options.cause });
		this.name = "ServiceError";
		this.code = code;
		this.retryable = options.retryable ?? isRetryable(code);
		this.retryAfterSeconds = options.retryAfterSeconds;
		this.details = options.details?.map(({ path, message: complaint }) => ({
			path: scrubSecrets(path),
			message: scrubSecrets(complaint),
		}));
		this.reply = options.reply;
	}
}

/** The caller sent what cannot be used. */
export function invalidArgument(message: string, options?: ServiceErrorOptions): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", message, options);
}

/** What the caller named does not exist, or is not the caller's to see. */
export function notFound(message: string, options?: ServiceErrorOptions): ServiceError {
	return new ServiceError("NOT_FOUND", message, options);
}

/** Something that this server needs does not work; retryable unless the options say otherwise. */
export function unavailable(message: string, options?: ServiceErrorOptions): ServiceError {
	return new ServiceError("UNAVAILABLE", message, options);
}

/** Why a server does not start: the message names the setting and what it may be. */
export function invalidSetting(message: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", message);
}
