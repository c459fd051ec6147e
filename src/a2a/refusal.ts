import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import type { Response } from "express";
import { type ErrorReply, toErrorReply } from "../http/http.js";
import type { ErrorCode, ServiceError } from "../kernel/kernel.js";

const PAYMENT = -32042;
const TOO_MANY = -32029;
const OUR_FAULT = A2A_ERROR_CODE.INTERNAL_ERROR;
const LATER = -32053;

/** JSON-RPC code by meaning; ours lie in -32020…-32059 of the range for servers, which A2A leaves free. */
const RPC_CODE_OF: Readonly<Record<ErrorCode, number>> = {
	INVALID_ARGUMENT: A2A_ERROR_CODE.INVALID_PARAMS,
	UNAUTHENTICATED: -32041,
	PAYMENT_REQUIRED: PAYMENT,
	INSUFFICIENT_BALANCE: PAYMENT,
	SPENDING_LIMIT: PAYMENT,
	PAYMENT_REJECTED: PAYMENT,
	PAYMENT_ALREADY_USED: PAYMENT,
	SCOPE_FORBIDDEN: -32043,
	NOT_FOUND: -32044,
	IDEMPOTENCY_IN_FLIGHT: -32049,
	IDEMPOTENCY_MISMATCH: -32022,
	RATE_LIMITED: TOO_MANY,
	QUOTA_EXCEEDED: TOO_MANY,
	INTERNAL: OUR_FAULT,
	UPSTREAM: OUR_FAULT,
	SETTLEMENT_UNKNOWN: LATER,
	UNAVAILABLE: LATER,
};

/** A refusal, ready for either binding; `body` is the contract's error with the ways to pay beside it. */
export interface Refusal extends ErrorReply {
	readonly rpcCode: number;
	readonly message: string;
}

export function toRefusal(error: ServiceError, requestId: string): Refusal {
	const { code, message } = error;
	return { ...toErrorReply(error, requestId), rpcCode: RPC_CODE_OF[code], message };
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
	const { rpcCode, message, body } = refusal;
	send(res, refusal, { jsonrpc: "2.0", id, error: { code: rpcCode, message, data: body } });
}

/** Refuses over HTTP+JSON: the body is the envelope. */
export function sendRestRefusal(res: Response, refusal: Refusal): void {
	send(res, refusal, refusal.body);
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
