/** The one class of errors that this client throws, and what each of them says. */

/** Codes of the server, as `GET /v1/errors` lists them. */
const SERVER_CODES = [
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

export type ServerErrorCode = (typeof SERVER_CODES)[number];

/** What this client itself finds. */
export type OwnErrorCode =
	/** The price is above `maxPrice`; nothing was sent that could be charged. */
	| "PRICE_ABOVE_MAX"
	/** The price does not fit into what is left of a budget; nothing was sent that could be charged. */
	| "BUDGET_EXCEEDED"
	/** The store of day budgets did not answer; nothing was sent that could be charged. */
	| "LEDGER_FAILED"
	/** The server offers no payment that the payer may make. */
	| "NO_ACCEPTABLE_OFFER"
	/** The wallet did not sign; nothing was paid. */
	| "NOT_SIGNED"
	/** The signal of the call was aborted. */
	| "ABORTED"
	/** No answer in time, after all retries. */
	| "TIMEOUT"
	/** No whole answer, after all retries. */
	| "NETWORK"
	/** An answer that no server of this interface gives: not JSON, of wrong types, or a redirection. */
	| "INVALID_REPLY"
	/** An answer above `maxReplyBytes`. */
	| "REPLY_TOO_LARGE"
	/** A receipt that is not what was asked for, or was not signed by the server. */
	| "RECEIPT_INVALID"
	/** A job that ended without a report. */
	| "NO_REPORT"
	/** A code of a newer server; `serverCode` has it. */
	| "UNKNOWN";

export type ClientErrorCode = ServerErrorCode | OwnErrorCode;

export interface ClientErrorOptions {
	readonly cause?: unknown;
	readonly status?: number | undefined;
	readonly serverCode?: string | undefined;
	readonly details?: readonly ErrorDetail[] | undefined;
	readonly requestId?: string | undefined;
	readonly retryable?: boolean;
	readonly retryAfterMs?: number | undefined;
	readonly continuations?: readonly Continuation[] | undefined;
	readonly chargedUsd?: string | undefined;
}

/** One complaint about one field of the input. */
export interface ErrorDetail {
	readonly path: string;
	readonly message: string;
}

/** A next step that the server names, e.g. a way to pay. */
export interface Continuation {
	readonly type: string;
	readonly instructions: string;
	readonly [field: string]: unknown;
}

/** Everything that this client throws. */
export class ClientError extends Error {
	override readonly name = "ClientError";
	readonly code: ClientErrorCode;
	/** HTTP status of the answer; undefined where there was none. */
	readonly status: number | undefined;
	/** The code as the server wrote it. */
	readonly serverCode: string | undefined;
	readonly details: readonly ErrorDetail[];
	readonly continuations: readonly Continuation[];
	readonly requestId: string | undefined;
	/** Whether the same call may succeed later. */
	readonly retryable: boolean;
	/** How long the server asks to wait before. */
	readonly retryAfterMs: number | undefined;
	/** What was charged in USD; undefined where that is not known, and the budget counts the whole price. */
	chargedUsd: string | undefined;

	constructor(code: ClientErrorCode, message: string, options: ClientErrorOptions = {}) {
		super(message, { cause: options.cause });
		this.code = code;
		this.status = options.status;
		this.serverCode = options.serverCode;
		this.details = options.details ?? [];
		this.continuations = options.continuations ?? [];
		this.requestId = options.requestId;
		this.retryable = options.retryable ?? false;
		this.retryAfterMs = options.retryAfterMs;
		this.chargedUsd = "chargedUsd" in options ? options.chargedUsd : "0.00";
	}
}

export function invalidArgument(message: string): ClientError {
	return new ClientError("INVALID_ARGUMENT", message);
}

/** The code if it is one of the server's. */
export function toServerCode(text: string): ServerErrorCode | "UNKNOWN" {
	return SERVER_CODES.find((code) => code === text) ?? "UNKNOWN";
}

/** Throws ABORTED where the signal was aborted; its reason is the cause. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw aborted(signal);
}

export function aborted({ reason }: AbortSignal): ClientError {
	return new ClientError("ABORTED", "The call was aborted.", { cause: reason });
}
