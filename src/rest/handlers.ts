import type { Request, RequestHandler, Response } from "express";
import {
	ANONYMOUS,
	type Credential,
	type DataOperation,
	type DocumentOperation,
	LIMITS,
	type OwnerOperation,
	type PaidOperation,
	type PurchaseOperation,
	parseInput,
	parsePayment,
	type RawRequest,
	type ReportFile,
} from "../contract/contract.js";
import {
	createTokenBucket,
	prefersPage,
	readCredential,
	readHeaders,
	requestIdOf,
	sendDocument,
	toCallerAddress,
	whileCallerWaits,
} from "../http/http.js";
import { type Clock, formatUsd, invalidArgument, ServiceError } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import {
	isPieces,
	type OwnedEvents,
	sendOwnedDocument,
	sendOwnedEvents,
	sendPieces,
} from "./plain-replies.js";
import { type PaymentLimit, readCallHeaders, readIdempotencyKey, readQuery } from "./request.js";
import { sendData, sendError, sendOwned, sendPaid, sendPurchased } from "./respond.js";

export interface AnswerDeps {
	readonly service: Service;
	readonly clock: Clock;
	readonly requestTimeoutMs: number;
	readonly limitPayments: PaymentLimit;
}

interface DemandDeps {
	readonly service: Pick<Service, "demand"> & { readonly info: Pick<Service["info"], "baseUrl"> };
}

export function createPaymentLimit(
	clock: Clock,
	perMinute: number = LIMITS.paymentsPerMinute,
): PaymentLimit {
	const keysMax = LIMITS.rateLimitedCallersMax;
	const takeFrom = createTokenBucket({ clock, perMinute, keysMax });
	return (req) => takeFrom(toCallerAddress(req.ip));
}

/** Sells one skill: whatever reaches this handler goes through the pipeline, so nothing runs unpaid. */
export function createPaidHandler(deps: AnswerDeps, route: PaidOperation): RequestHandler {
	const { service, limitPayments } = deps;
	const wait = toWait(deps);
	return async (req, res) => {
		const path = parseInput(route.params, req.params);
		await demandOfBare(deps, route, req, res);
		const query = parseInput(route.query, readQuery(req));
		const body = route.body ? parseInput(route.body, req.body) : {};
		const call = {
			operationId: route.id,
			rawInput: { ...path, ...query, ...body },
			...readCallHeaders(req, limitPayments),
			transport: "rest",
			resourceUrl: `${service.info.baseUrl()}${req.path}`,
			requestId: requestIdOf(res),
		} as const;
		await whileCallerWaits(res, wait, async (signal) => {
			sendPaid(res, route, await service.invoke({ ...call, signal }));
		});
	};
}

/** Asks for the price where a request shows no one who pays and brings nothing but its address, as catalogs send it (docs/adr/0063). */
export async function demandOfBare(
	{ service }: DemandDeps,
	route: Pick<PaidOperation, "id" | "params">,
	req: Request,
	res: Response,
): Promise<void> {
	if (!isBare(req)) return;
	await service.demand({
		operationId: route.id,
		rawInput: parseInput(route.params, req.params),
		credential: undefined,
		idempotencyKey: undefined,
		transport: "rest",
		resourceUrl: `${service.info.baseUrl()}${req.path}`,
		requestId: requestIdOf(res),
		signal: NEVER_ABORTED,
	});
}

/** Neither a query, nor a field of a body, nor a credential or payment. */
function isBare(req: Request): boolean {
	const body: unknown = req.body ?? {};
	if (JSON.stringify(body) !== "{}" || req.url.includes("?")) return false;
	return !readCredential(req) && !parsePayment(readHeaders(req));
}

/** Answers one free operation in the envelope. */
export function createDataHandler(deps: AnswerDeps, route: DataOperation): RequestHandler {
	const answer = route.create(deps.service.services);
	const page = route.createPage?.(deps.service.services);
	return async (req, res) => {
		if (page) res.vary("Accept");
		if (page && prefersPage(req)) {
			sendDocument(req, res, await page(toRawRequest(req)));
			return;
		}
		await whileCallerWaits(res, toWait(deps), async (signal) => {
			sendData(req, res, route, await answer({ ...toRawRequest(req), signal }));
		});
	};
}

/** What is asked for the least that can be bought is the price of an order that names none. */
const LEAST_ORDER = { amount_usd: formatUsd(LIMITS.sptMinMicros) };

/** Sells balance. It goes on when the caller leaves: what has settled is booked, and the wallet can recover it. */
export function createPurchaseHandler(
	{ service, limitPayments }: AnswerDeps,
	route: PurchaseOperation,
): RequestHandler {
	const answer = route.create(service.services);
	return async (req, res) => {
		const sent = toRawRequest(req);
		const raw = isBare(req) ? { ...sent, body: LEAST_ORDER } : sent;
		const payment = parsePayment(raw.headers);
		const idempotencyKey = readIdempotencyKey(raw.headers, payment);
		if (payment) limitPayments(req);
		const reply = await answer({
			...raw,
			...{ idempotencyKey, payment, credential: readCredential(req) },
			resourceUrl: `${service.info.baseUrl()}${req.path}`,
		});
		sendPurchased(res, route, reply);
	};
}

/** Looking at an account, or ending it, opens none. */
const READING_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE"]);

/** Answers one operation of somebody known; no one else sees the answer, and no cache keeps it. */
export function createOwnerHandler(deps: AnswerDeps, route: OwnerOperation): RequestHandler {
	const { service } = deps;
	const answer = route.create(service.services);
	return async (req, res) => {
		const raw = toRawRequest(req);
		const shown = readCredential(req);
		const credential = route.opensById ? shown : requireCredential(shown, route);
		const opens = route.scheme !== "spt" && !READING_METHODS.has(req.method);
		const caller = credential ? await service.identify(credential, { opens }) : ANONYMOUS;
		if (credential) requireKind(credential, route);
		await whileCallerWaits(res, toWait(deps, route.timeoutMs), async (signal) => {
			const request = { ...raw, credential, caller, signal };
			const data = await answer(request);
			if (route.sends?.kind === "events") {
				await sendOwnedEvents(res, data as OwnedEvents, deps.clock);
			} else if (route.sends) sendOwnedDocument(res, data as ReportFile);
			else if (isPieces(data)) await sendPieces(res, data, signal);
			else sendOwned(res, route, data);
		});
	};
}

const WANTED = {
	spt: 'a Shared Payment Token as "Authorization: Bearer spt_…" or in the header "X-Pay-SPT"',
	account: 'an API key as "Authorization: Bearer sk_…" or in the header "X-API-Key"',
};

function howToShow({ scheme }: OwnerOperation): string {
	return scheme ? WANTED[scheme] : `${WANTED.account}, or ${WANTED.spt}`;
}

function requireCredential(credential: Credential | undefined, route: OwnerOperation): Credential {
	if (credential) return credential;
	throw new ServiceError(
		"UNAUTHENTICATED",
		`This operation is for its owner; send ${howToShow(route)}.`,
	);
}

/** Judged once it is known to be somebody's: who holds a credential of another kind has guessed nothing. */
function requireKind(credential: Credential, route: OwnerOperation): void {
	const kind = credential.scheme === "spt" ? "spt" : "account";
	if ((route.scheme ?? kind) === kind) return;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		`This credential is valid, but of a kind that this operation is not for; send ${howToShow(route)}.`,
	);
}

/** Throws RATE_LIMITED when one address asks more often than `callsPerMinute`. */
export function createCallLimit(
	{ rates }: Service,
	{ id, callsPerMinute: perMinute }: DataOperation | OwnerOperation | PurchaseOperation,
): RequestHandler {
	return (req, _res, next) => {
		const address = toCallerAddress(req.ip);
		if (perMinute !== undefined) rates.take(id, { address, perMinute });
		next();
	};
}

/** Serves one free document. */
export function createDocumentHandler(
	{ services }: Service,
	route: DocumentOperation,
): RequestHandler {
	const answer = route.create(services);
	return async (req, res) => {
		sendDocument(req, res, await answer(toRawRequest(req)), route);
	};
}

/** Refuses every other method of a known path, HEAD on a paid one included: none of them may run its handler. */
export function createMethodRefusal(methods: readonly string[]): RequestHandler {
	return (req, res) => {
		res.setHeader("Allow", methods.join(", "));
		sendError(
			res,
			invalidArgument(`The method ${req.method} is not offered here; use ${methods.join(" or ")}.`),
			405,
		);
	};
}

function toWait({ clock, requestTimeoutMs }: AnswerDeps, timeoutMs = requestTimeoutMs) {
	return { clock, timeoutMs };
}

/** Documents are made at once, and purchases go on when their caller leaves. */
const NEVER_ABORTED = new AbortController().signal;

function toRawRequest(req: Request): RawRequest {
	return {
		params: req.params,
		query: readQuery(req),
		body: req.body,
		headers: readHeaders(req),
		address: toCallerAddress(req.ip),
		signal: NEVER_ABORTED,
	};
}
