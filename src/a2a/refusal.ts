import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import type { Response } from "express";
import { PaymentRequired } from "../../payments/challenge.js";
import { toHttpChallenge } from "../../payments/http-challenge.js";
import type { ErrorCode, ServiceError } from "../core/errors.js";
import { LIMITS } from "../core/limits.js";

interface Spelling {
	readonly status: number;
	/** JSON-RPC code; ours lie in -32020…-32059 of the range for servers, which A2A leaves free. */
	readonly rpcCode: number;
}

const payment: Spelling = { status: 402, rpcCode: -32042 };
const tooMany: Spelling = { status: 429, rpcCode: -32029 };
const ourFault: Spelling = { status: 500, rpcCode: A2A_ERROR_CODE.INTERNAL_ERROR };
const later: Spelling = { status: 503, rpcCode: -32053 };

/** The one table that turns meaning into HTTP status and JSON-RPC code. Spec: Errors. */
const SPELLING_OF: Readonly<Record<ErrorCode, Spelling>> = {
	INVALID_ARGUMENT: { status: 400, rpcCode: A2A_ERROR_CODE.INVALID_PARAMS },
	UNAUTHENTICATED: { status: 401, rpcCode: -32041 },
	PAYMENT_REQUIRED: payment,
	INSUFFICIENT_BALANCE: payment,
	SPENDING_LIMIT: payment,
	PAYMENT_REJECTED: payment,
	PAYMENT_ALREADY_USED: payment,
	SCOPE_FORBIDDEN: { status: 403, rpcCode: -32043 },
	NOT_FOUND: { status: 404, rpcCode: -32044 },
	IDEMPOTENCY_IN_FLIGHT: { status: 409, rpcCode: -32049 },
	IDEMPOTENCY_MISMATCH: { status: 422, rpcCode: -32022 },
	RATE_LIMITED: tooMany,
	QUOTA_EXCEEDED: tooMany,
	INTERNAL: ourFault,
	UPSTREAM: ourFault,
	SETTLEMENT_UNKNOWN: later,
	UNAVAILABLE: later,
};

const STATUSES_TO_RETRY: ReadonlySet<number> = new Set([409, 429, 503]);

/** A refusal, ready for either transport; `envelope` is the contract's error with the ways to pay beside it. */
export interface Refusal extends Spelling {
	readonly message: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly envelope: Readonly<Record<string, unknown>>;
}

export function toRefusal(error: ServiceError, requestId: string): Refusal {
	const spelling = SPELLING_OF[error.code];
	const challenge = error instanceof PaymentRequired ? toHttpChallenge(error) : undefined;
	return {
		...spelling,
		message: error.message,
		headers: {
			"Cache-Control": "no-store",
			...(spelling.status === 401 && { "WWW-Authenticate": 'Bearer realm="tollgraph"' }),
			...(STATUSES_TO_RETRY.has(spelling.status) && { "Retry-After": retryAfter(error) }),
			...challenge?.headers,
		},
		envelope: { error: toErrorWire(error, requestId), ...challenge?.body },
	};
}

/** The contract's error object. */
export function toErrorWire(error: ServiceError, requestId: string) {
	return {
		code: error.code,
		message: error.message,
		request_id: requestId,
		retryable: error.retryable,
		...(error.details && { details: error.details }),
	};
}

export type RpcId = string | number | null;

/** The id a JSON-RPC reply repeats; null when the request had none that can be repeated. */
export function rpcIdOf(body: unknown): RpcId {
	if (typeof body !== "object" || body === null || !("id" in body)) return null;
	const { id } = body;
	return typeof id === "string" || typeof id === "number" ? id : null;
}

/** Refuses over JSON-RPC: HTTP status and challenge headers around an error whose `data` is the envelope. */
export function sendRpcRefusal(res: Response, id: RpcId, refusal: Refusal): void {
	const { rpcCode, message, envelope } = refusal;
	send(res, refusal, { jsonrpc: "2.0", id, error: { code: rpcCode, message, data: envelope } });
}

/** Refuses over HTTP+JSON: the body is the envelope. */
export function sendRestRefusal(res: Response, refusal: Refusal): void {
	send(res, refusal, refusal.envelope);
}

function send(res: Response, { status, headers }: Refusal, body: object): void {
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	sendJson(res, status, body);
}

export function sendJson(res: Response, status: number, body: unknown): void {
	const bytes = Buffer.from(JSON.stringify(body));
	res.statusCode = status;
	res.setHeader("Content-Type", "application/json; charset=utf-8");
	res.setHeader("Content-Length", bytes.byteLength);
	res.end(bytes);
}

function retryAfter(error: ServiceError): string {
	return String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? LIMITS.retryAfterSeconds)));
}
