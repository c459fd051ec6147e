import { toNodeHandler } from "@modelcontextprotocol/node";
import {
	type AuthInfo,
	createMcpHandler,
	type McpHttpHandler,
	PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import express, {
	type ErrorRequestHandler,
	type Request,
	type RequestHandler,
	type Response,
	type Router,
} from "express";
import { z } from "zod";
import { LIMITS, parseInput } from "../contract/contract.js";
import {
	type CallRates,
	CONNECTION_PATH,
	connectionTokenOf,
	isNoJson,
	isOurFailure,
	readJsonBody,
	toErrorReply,
	toServiceError,
} from "../http/http.js";
import { type Clock, type Ids, invalidArgument, type Logger, stackOf } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import {
	admit,
	admitByToken,
	createOriginCheck,
	refuseChosenGraph,
	refuseHeaderPayments,
	refuseWithoutIssuer,
	type TokenIssuers,
	type Way,
} from "./credential-gate.js";
import { INVALID_PARAMS, REFUSED } from "./envelope.js";
import { createExchange, type Exchange } from "./exchange.js";
import { createPaymentGate, createTokenWatch } from "./payment-meta.js";
import { createProfiles, type Profile, type Profiles } from "./profiles.js";
import { createProtocolServer } from "./protocol-server.js";

export interface McpOptions {
	readonly service: Service;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Hosts whose pages may call from a browser. */
	readonly allowedOrigins: readonly string[];
	readonly issuers: TokenIssuers;
	readonly callRates: CallRates;
	/** Anonymous agents are let in at `/mcp`, and pay call by call. */
	readonly takesPayments: boolean;
	readonly logger?: Logger | undefined;
	/** Our own where absent, as is the server that answers one request. */
	readonly profiles?: Profiles;
	readonly createServer?: typeof createProtocolServer;
}

/** The whole transport, for the composition root. */
export interface Mcp {
	/** Mount it at the root. */
	readonly router: Router;
	/** Ends what is under way. */
	close(): Promise<void>;
}

/** Levels the protocol wraps around a tool's arguments: request, params, arguments. */
const ENVELOPE_LEVELS = 4;
const INVALID_REQUEST = -32600;
const PARSE_ERROR = -32700;
const PRIVATE = "private, no-store";

/** The four addresses of the Model Context Protocol; mount it at the root. Spec: Base Addresses. */
export function createMcp(options: McpOptions): Mcp {
	const { service, issuers, takesPayments, profiles = createProfiles(options) } = options;
	const speak = createSpeaker(options);
	const check = createOriginCheck(options);
	const named = (way: Way, profile: Profile, letsAnyoneIn = false): RequestHandler[] => [
		keepPrivate,
		check,
		...(way.isOAuthOnly ? [refuseWithoutIssuer(issuers), refuseChosenGraph(way)] : []),
		refuseHeaderPayments,
		async (req, _res, next) => {
			const credential = await admit(service, req, { way, issuers, letsAnyoneIn });
			EXCHANGES.set(req, createExchange(req, options, { takesPayments: letsAnyoneIn, credential }));
			next();
		},
		readRequest,
		speak.as(profile),
	];
	const router = express
		.Router({ caseSensitive: true, strict: true })
		.all(
			["/mcp", "/mcp/"],
			named({ path: "/mcp", isOAuthOnly: false }, profiles.whole, takesPayments),
		)
		.all(
			["/chatgpt", "/chatgpt/"],
			named({ path: "/chatgpt", isOAuthOnly: true }, profiles.chatgpt),
		)
		.all(
			["/copilot", "/copilot/"],
			named({ path: "/copilot", isOAuthOnly: false }, profiles.copilot),
		)
		.use(CONNECTION_PATH, [
			keepPrivate,
			createTokenGate(options),
			check,
			refuseHeaderPayments,
			readRequest,
			speak.as(profiles.whole),
		])
		.use(["/mcp", "/chatgpt", "/copilot", CONNECTION_PATH], createErrorHandler(options));
	return { router, close: speak.close };
}

const EXCHANGES = new WeakMap<Request, Exchange>();

/** Takes the secret out of the address before anything else sees it: neither an error nor a log can repeat it. */
function createTokenGate(deps: McpOptions): RequestHandler {
	return async (req, res, next) => {
		const token = connectionTokenOf(req.originalUrl);
		const [search = ""] = /\?.*$/s.exec(req.originalUrl) ?? [];
		req.originalUrl = `${CONNECTION_PATH}${search}`;
		req.url = `/${search}`;
		res.setHeader("Referrer-Policy", "no-referrer");
		const credential = await admitByToken(deps.service, token ?? "");
		EXCHANGES.set(req, createExchange(req, deps, { takesPayments: false, credential }));
		next();
	};
}

/** One handler of the SDK for each profile; each request gets a server of its own that shares the profile's lists. */
function createSpeaker(deps: McpOptions) {
	const { logger, createServer = createProtocolServer } = deps;
	const shared = {
		...deps,
		paymentOf: createPaymentGate(deps.clock),
		watchToken: createTokenWatch(deps),
	};
	const handlers: McpHttpHandler[] = [];
	const logFailure = (error: unknown) =>
		logger?.error("unexpected failure", { at: "mcp", error: stackOf(error) });
	return {
		as(profile: Profile): RequestHandler {
			let latest: Error | undefined;
			const handler = createMcpHandler(
				({ authInfo }) => createServer({ ...shared, profile }, exchangeOf(authInfo)),
				{ onerror: (error) => (latest = error) },
			);
			handlers.push(handler);
			// The SDK reports refused callers too, who get the reason themselves; what it answers with 500 is our failure.
			const watched = privately(handler, () => logFailure(latest));
			const answer = toNodeHandler(watched, {
				onerror: logFailure,
				maxRequestBodySize: LIMITS.bodyBytes,
			});
			return async (req, res) => {
				const exchange = EXCHANGES.get(req);
				const auth: AuthInfo = { token: "", clientId: "", scopes: [], extra: { exchange } };
				await answer(Object.assign(req, { auth }), res as never, req.body);
			};
		},
		async close() {
			await Promise.all(handlers.map((handler) => handler.close()));
		},
	};
}

/** The SDK lets caches keep what it streams; an answer was paid for by one caller. */
function privately(
	{ fetch }: McpHttpHandler,
	onFailure: () => void,
): Pick<McpHttpHandler, "fetch"> {
	return {
		async fetch(request, options) {
			const response = await fetch(request, options);
			if (response.status === 500) onFailure();
			response.headers.set("Cache-Control", PRIVATE);
			return response;
		},
	};
}

function exchangeOf(authInfo: AuthInfo | undefined): Exchange {
	return authInfo?.extra?.["exchange"] as Exchange;
}

const keepPrivate: RequestHandler = (_req, res, next) => {
	res.setHeader("Cache-Control", PRIVATE);
	next();
};

/** Stateless: a request is one message, sent with POST. */
const readRequest: RequestHandler = async (req, res, next) => {
	if (req.method !== "POST") {
		res.setHeader("Allow", "POST");
		return sendRpcError(res, 405, { code: REFUSED, message: "Send one message with POST." });
	}
	if (req.is("application/json")) {
		req.body = await readJsonBody(req, LIMITS.bodyDepth + ENVELOPE_LEVELS);
		if (typeof req.body !== "object" || req.body === null || Array.isArray(req.body)) {
			throw invalidArgument("The body must be one JSON-RPC message, an object.");
		}
		const wrong = findWrongParams(req.body);
		if (wrong) return void res.status(200).json({ jsonrpc: "2.0", ...wrong });
	}
	next();
};

const ofTask = z.looseObject({ taskId: z.string() });
const paged = z.looseObject({ cursor: z.string().optional() }).optional();

/** What each method must be given; the SDK takes some of these mistakes for failures of its own. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
	initialize: z.looseObject({
		protocolVersion: z.string(),
		capabilities: z.looseObject({}),
		clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
	}),
	"tools/call": z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() }),
	"tools/list": paged,
	"resources/list": paged,
	"resources/templates/list": paged,
	"resources/read": z.looseObject({ uri: z.string() }),
	"tasks/get": ofTask,
	"tasks/cancel": ofTask,
	"tasks/update": ofTask.extend({ inputResponses: z.looseObject({}) }),
	"prompts/list": paged,
	"prompts/get": z.looseObject({
		name: z.string(),
		arguments: z.record(z.string(), z.string()).optional(),
	}),
};

/** The error of a request whose parameters are not as its method wants them. */
function findWrongParams(message: Readonly<Record<string, unknown>>): object | undefined {
	const { id, method, params } = message;
	const schema = Object.hasOwn(PARAMS, String(method)) ? PARAMS[String(method)] : undefined;
	if (!schema || id === undefined) return undefined;
	// Since 2026-07-28 there is no handshake, whatever its parameters: the SDK says so.
	if (method === "initialize" && claimsRevision(params)) return undefined;
	try {
		parseInput(z.object({ params: schema }), { params });
		return undefined;
	} catch (error) {
		return { id, error: { code: INVALID_PARAMS, message: toServiceError(error).message } };
	}
}

/** Each request since 2026-07-28 names the revision it is written in. */
function claimsRevision(params: unknown): boolean {
	const { _meta: meta } = Object(params) as { readonly _meta?: unknown };
	return Object.hasOwn(Object(meta), PROTOCOL_VERSION_META_KEY);
}

function createErrorHandler({ service, issuers, logger }: McpOptions): ErrorRequestHandler {
	return (error: unknown, req, res, next) => {
		if (res.headersSent) return next(error);
		const reported = toServiceError(error);
		const requestId = String(res.getHeader("X-Request-Id") ?? "");
		if (isOurFailure(reported, res)) {
			logger?.error("unexpected failure", { requestId, error: stackOf(error) });
		}
		const { status, headers, body } = toErrorReply(reported, requestId);
		for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
		if (status === 401) res.setHeader("WWW-Authenticate", challengeOf(service, issuers, req));
		sendRpcError(res, status, {
			code: toRpcCode(error, status),
			message: reported.message,
			data: body,
		});
	};
}

function toRpcCode(error: unknown, status: number): number {
	if (isNoJson(error)) return PARSE_ERROR;
	return status === 400 ? INVALID_REQUEST : REFUSED;
}

/** Where an authorization server is found (RFC 9728), if there is one; an address with a secret in it has none. */
function challengeOf(
	{ info }: Service,
	{ access }: TokenIssuers,
	{ baseUrl: mount, path, headers }: Request,
): string {
	const at = mount || path;
	if (at === CONNECTION_PATH || access() === undefined) return 'Bearer realm="tollgraph"';
	const metadata = `${info.baseUrl()}/.well-known/oauth-protected-resource${at}`;
	const wrong = headers.authorization === undefined ? "" : ', error="invalid_token"';
	return `Bearer realm="tollgraph", resource_metadata="${metadata}"${wrong}`;
}

function sendRpcError(
	res: Response,
	status: number,
	error: { readonly code: number; readonly message: string; readonly data?: unknown },
): void {
	res.status(status).json({ jsonrpc: "2.0", id: null, error });
}
