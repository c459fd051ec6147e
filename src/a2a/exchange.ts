import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import type { ServerCallContext, User } from "@a2a-js/sdk/server";
import type { Request, Response } from "express";
import { X402_EXTENSION_URI } from "../../agent-card/agent-card.js";
import type { Store } from "../../store/store.js";
import {
	type Caller,
	type CallResult,
	type Credential,
	type Payment,
	parsePayment,
	type SentHeaders,
} from "../contract/contract.js";
import {
	type CallerLink,
	type ErrorReply,
	linkOf,
	openRequestId,
	readCredential,
	readHeaders,
	reportDelivery,
	toCallerAddress,
	toErrorReply,
	toServiceError,
} from "../http/http.js";
import type { JobViews } from "../jobs/jobs.js";
import {
	type Clock,
	type ErrorCode,
	type Ids,
	type Logger,
	ServiceError,
	stackOf,
} from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { type ActiveX402, readActivation } from "./x402-extension.js";

/** What the transport runs on; each part takes what it needs by `Pick<A2aServices, …>`. */
export interface A2aServices {
	readonly service: Service;
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** What goes on behind tasks of work that outlives its call; without it nothing does. */
	readonly jobs?: JobViews | undefined;
	/** Payments on a chain are configured. */
	readonly acceptsX402: boolean;
	readonly logger?: Logger | undefined;
	/** How many share the books, each with its share of what is bounded; one where absent. */
	readonly processCount?: (() => number) | undefined;
}

/** What a call came with, and what takes its answer back: an HTTP request, or a call over gRPC. */
export interface Carrier extends CallerLink {
	/** Headers, or metadata. */
	readonly headers: SentHeaders;
	readonly requestId: string;
	/** IP address of the caller, or its network; see toCallerAddress. */
	readonly address: string;
	/** Absolute address that was called, for challenges that name it. */
	readonly resourceUrl: string;
	/** Throws INVALID_ARGUMENT or UNAUTHENTICATED for credentials that cannot be read. */
	credential(): Credential | undefined;
	/** Sent before the answer. */
	setHeader(name: string, value: string): void;
	/** Reports to the payment rail what became of the answer. */
	reportDelivery(result: Pick<CallResult, "onDelivered" | "onAbandoned">): void;
}

/**
 * One call on its way through the SDK, which carries it as its user: who calls, from where,
 * and why the call was refused. The SDK cannot say 402 or set headers; the handlers around it read the refusal here.
 */
export interface Exchange extends User {
	readonly carrier: Carrier;
	readonly requestId: string;
	readonly address: string;
	readonly resourceUrl: string;
	/** Throws INVALID_ARGUMENT or UNAUTHENTICATED for credentials that cannot be read. */
	credential(): Credential | undefined;
	/** The payment in the headers. Throws INVALID_ARGUMENT for one that cannot be read. */
	payment(): Payment | undefined;
	/** How the caller turned the payment extension on; undefined when not, or when nothing settles here. */
	readonly x402: ActiveX402 | undefined;
	/** Who asks for tasks; opens no account. Throws UNAUTHENTICATED without a credential. */
	caller(): Promise<Caller>;
	/** Remembers why the call is refused; exceptions no one meant to throw are logged and lose their text. */
	refuse(error: unknown): Refusal;
	readonly refusal: () => Refusal | undefined;
}

export function createExchange(
	{ service, acceptsX402, logger }: Pick<A2aServices, "service" | "acceptsX402" | "logger">,
	carrier: Carrier,
): Exchange {
	const { headers, requestId, address, resourceUrl } = carrier;
	const x402 = acceptsX402 ? readActivation(headers) : undefined;
	if (x402) carrier.setHeader(x402.header, X402_EXTENSION_URI);
	let payment: { readonly read: Payment | undefined } | undefined;
	let caller: Promise<Caller> | undefined;
	let refusal: Refusal | undefined;
	let failure: unknown;

	const findCaller = async () => {
		const shown = carrier.credential();
		if (shown) return service.identify(shown);
		throw new ServiceError(
			"UNAUTHENTICATED",
			"A task is shown to its owner only; send the API key or Shared Payment Token that paid for it.",
		);
	};
	return {
		carrier,
		requestId,
		address,
		resourceUrl,
		credential: carrier.credential,
		payment() {
			payment ??= { read: parsePayment(headers) };
			return payment.read;
		},
		x402,
		caller() {
			caller ??= findCaller();
			return caller;
		},
		refuse(error): Refusal {
			const reported = toServiceError(error);
			// One that is refused again on its way out is logged once.
			if (reported.code === "INTERNAL" && !carrier.hasLeft() && failure !== error) {
				failure = error;
				logger?.error("unexpected failure", { requestId, error: stackOf(error) });
			}
			refusal = toRefusal(reported, requestId);
			return refusal;
		},
		// No getter: V8 keeps what a getter of a single object closes over (docs/adr/0042).
		refusal: () => refusal,
		isAuthenticated: false,
		userName: "",
	};
}

/** The request and its response as what carries a call. */
export function createHttpCarrier(
	{ service, ids }: Pick<A2aServices, "service" | "ids">,
	req: Request,
): Carrier {
	const response = req.res as Response;
	return {
		...linkOf(response),
		headers: readHeaders(req),
		requestId: openRequestId(req, response, ids),
		address: toCallerAddress(req.ip),
		resourceUrl: `${service.info.baseUrl()}${pathOf(req)}`,
		credential: () => readCredential(req),
		setHeader: (name, value) => void response.setHeader(name, value),
		reportDelivery: (result) => reportDelivery(response, result),
	};
}

/** The exchange the SDK carries through a call. */
export function exchangeOf(context: ServerCallContext): Exchange {
	return context.user as Exchange;
}

function pathOf({ originalUrl }: Request): string {
	const query = originalUrl.indexOf("?");
	return query === -1 ? originalUrl : originalUrl.slice(0, query);
}

/** An error's code over JSON-RPC, and its status over gRPC. */
type ProtocolCodes = readonly [rpc: number, grpc: number];

/** Of gRPC's statuses those that refusals have; its library is loaded where gRPC is served only. */
export const GRPC_STATUS = {
	ok: 0,
	unknown: 2,
	invalidArgument: 3,
	notFound: 5,
	alreadyExists: 6,
	permissionDenied: 7,
	resourceExhausted: 8,
	failedPrecondition: 9,
	aborted: 10,
	internal: 13,
	unavailable: 14,
	unauthenticated: 16,
} as const;

const PAYMENT: ProtocolCodes = [-32042, GRPC_STATUS.failedPrecondition];
const TOO_MANY: ProtocolCodes = [-32029, GRPC_STATUS.resourceExhausted];
const OUR_FAULT: ProtocolCodes = [A2A_ERROR_CODE.INTERNAL_ERROR, GRPC_STATUS.internal];
const LATER: ProtocolCodes = [-32053, GRPC_STATUS.unavailable];

/** Codes by meaning; ours of JSON-RPC lie in -32020…-32059 of the range for servers, which A2A leaves free. */
const CODES_OF: Readonly<Record<ErrorCode, ProtocolCodes>> = {
	INVALID_ARGUMENT: [A2A_ERROR_CODE.INVALID_PARAMS, GRPC_STATUS.invalidArgument],
	UNAUTHENTICATED: [-32041, GRPC_STATUS.unauthenticated],
	PAYMENT_REQUIRED: PAYMENT,
	INSUFFICIENT_BALANCE: PAYMENT,
	SPENDING_LIMIT: PAYMENT,
	PAYMENT_REJECTED: PAYMENT,
	PAYMENT_ALREADY_USED: PAYMENT,
	SCOPE_FORBIDDEN: [-32043, GRPC_STATUS.permissionDenied],
	NOT_FOUND: [-32044, GRPC_STATUS.notFound],
	IDEMPOTENCY_IN_FLIGHT: [-32049, GRPC_STATUS.aborted],
	IDEMPOTENCY_MISMATCH: [-32022, GRPC_STATUS.alreadyExists],
	CONFLICT: [-32023, GRPC_STATUS.aborted],
	PRECONDITION_FAILED: [-32024, GRPC_STATUS.aborted],
	RATE_LIMITED: TOO_MANY,
	QUOTA_EXCEEDED: TOO_MANY,
	INTERNAL: OUR_FAULT,
	UPSTREAM: OUR_FAULT,
	SETTLEMENT_UNKNOWN: LATER,
	UNAVAILABLE: LATER,
};

/** A refusal, ready for every binding; `body` is the contract's error with the ways to pay beside it. */
export interface Refusal extends ErrorReply {
	readonly code: ErrorCode;
	readonly rpcCode: number;
	readonly grpcStatus: number;
	readonly message: string;
}

function toRefusal(error: ServiceError, requestId: string): Refusal {
	const { code, message } = error;
	const [rpcCode, grpcStatus] = CODES_OF[code];
	return { ...toErrorReply(error, requestId), code, rpcCode, grpcStatus, message };
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
