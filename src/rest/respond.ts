import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import type {
	CallResult,
	DataOperation,
	OwnerOperation,
	PaidOperation,
	PaidOutput,
	PurchaseOperation,
	PurchaseReply,
	RenderPage,
} from "../contract/contract.js";
import {
	costHeaders,
	isStillFresh,
	reportDelivery,
	requestIdOf,
	sendBytes,
	toErrorReply,
	toEtag,
} from "../http/http.js";
import { type ServiceError, sharedJsonOf } from "../kernel/kernel.js";
import { toRefusalPage } from "./refusal-page.js";

const JSON_TYPE = "application/json; charset=utf-8";

/** The paid answer: the skill's result with request id and cost in its meta, the receipt in the headers. */
export function sendPaid(
	res: Response,
	{ accepted }: Pick<PaidOperation, "accepted">,
	result: CallResult,
): void {
	const { output, cost, timings, paymentHeaders = {} } = result;
	const answer = output as PaidOutput;
	const { data } = answer as { readonly data?: unknown };
	const serverTiming = toServerTiming(timings);
	const json = sharedJsonOf(data);
	const meta = { ...answer.meta, request_id: requestIdOf(res), cost };
	reportDelivery(res, result);
	for (const [name, value] of Object.entries(paymentHeaders)) res.setHeader(name, value);
	res.setHeader("Cache-Control", "private, no-store");
	for (const [name, value] of Object.entries(costHeaders(cost))) res.setHeader(name, value);
	if (serverTiming) res.setHeader("Server-Timing", serverTiming);
	if (json) {
		sendAround(res, json, `{"ok":true,"data":\n,"meta":${JSON.stringify(meta)}}`);
		return;
	}
	if (accepted) {
		res.setHeader("Location", accepted.locationOf(answer));
		res.setHeader("Retry-After", accepted.retryAfterSeconds);
	}
	const body = JSON.stringify({ ...answer, meta });
	sendBytes(res, { status: accepted ? 202 : 200, body, mediaType: JSON_TYPE });
}

/** A free answer in the envelope `{ok, data, meta}`; its ETag covers the data, not the request id. */
export function sendData(req: Request, res: Response, route: DataOperation, data: object): void {
	const { next_cursor = null, ...rest } = data as { readonly next_cursor?: string | null };
	const page = route.isList && "next_cursor" in data ? rest : data;
	if (route.freshness === "catalog") {
		const { body, etag } = serialize(page);
		if (isStillFresh(req, res, etag)) return;
		const data = typeof body === "string" ? body : DATA_PLACE;
		const text = envelope(route, data, requestIdOf(res), next_cursor);
		if (typeof body === "string") send(res, 200, text);
		else sendAround(res, body, text);
		return;
	}
	res.setHeader("Cache-Control", route.freshness === "secret" ? "private, no-store" : "no-store");
	send(res, 200, envelope(route, JSON.stringify(page), requestIdOf(res), next_cursor));
}

/** An answer for its owner alone: no cache may keep it. A list's own cursor moves to the meta. */
export function sendOwned(res: Response, route: OwnerOperation, data: object): void {
	const { next_cursor = null, ...rest } = data as { readonly next_cursor?: string | null };
	res.setHeader("Cache-Control", "private, no-store");
	const text = JSON.stringify(route.isList ? rest : data);
	send(res, route.status ?? 200, envelope(route, text, requestIdOf(res), next_cursor));
}

/** What was bought, with the receipt of its payment in the headers; a secret in it is shown once. */
export function sendPurchased(res: Response, route: PurchaseOperation, reply: PurchaseReply): void {
	const { data, headers } = reply;
	reportDelivery(res, reply);
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	res.setHeader("Cache-Control", "private, no-store");
	send(res, route.status ?? 200, envelope(route, JSON.stringify(data), requestIdOf(res)));
}

/** A JSON document of our own, or 304; pass the same object again and it is not serialized again. */
export function sendJsonDocument(req: Request, res: Response, value: object): void {
	const { body, etag } = serialize(value);
	if (isStillFresh(req, res, etag)) return;
	sendBytes(res, { status: 200, body, mediaType: JSON_TYPE });
}

/** A refusal as people read it; its headers are those that programs get. */
export async function sendRefusalPage(
	res: Response,
	error: ServiceError,
	renderPage: RenderPage,
): Promise<void> {
	const page = await renderPage(toRefusalPage(error));
	const { status, headers } = toErrorReply(error, requestIdOf(res));
	for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
	if (page.policy !== undefined) res.setHeader("Content-Security-Policy", page.policy);
	sendBytes(res, { status, body: page.body, mediaType: page.mediaType });
}

/** The contract's error envelope with the status its code stands for, unless another is given. */
export function sendError(res: Response, error: ServiceError, status?: number): void {
	const reply = toErrorReply(error, requestIdOf(res));
	for (const [name, value] of Object.entries(reply.headers)) res.setHeader(name, value);
	send(res, status ?? reply.status, JSON.stringify(reply.body));
}

function send(res: Response, status: number, body: string): void {
	sendBytes(res, { status, body, mediaType: JSON_TYPE });
}

/** No JSON text of ours has a line break. */
const DATA_PLACE = "\n";

/** Data in its place of an envelope; what many are sent, a large catalog, is copied for none of them. */
function sendAround(res: Response, data: Uint8Array, surrounding: string): void {
	const [head = "", tail = ""] = surrounding.split(DATA_PLACE);
	res.statusCode = 200;
	res.setHeader("Content-Type", JSON_TYPE);
	const length = Buffer.byteLength(head) + data.byteLength + Buffer.byteLength(tail);
	res.setHeader("Content-Length", length);
	res.cork();
	res.write(head);
	res.write(data);
	res.end(tail);
}

function envelope(
	{ isList }: Pick<DataOperation, "isList">,
	data: string,
	requestId: string,
	nextCursor: string | null = null,
): string {
	const meta = { request_id: requestId, ...(isList && { next_cursor: nextCursor }) };
	return `{"ok":true,"data":${data},"meta":${JSON.stringify(meta)}}`;
}

interface Serialized {
	/** Bytes where there are many. */
	readonly body: string | Uint8Array;
	readonly etag: string;
}

const LARGE_CHARS = 16_384;

/** Data objects that are served again and again, as JSON; gone with the object they were made from. */
const serialized = new WeakMap<object, Serialized>();

function serialize(data: object): Serialized {
	const known = serialized.get(data);
	if (known) return known;
	const text = JSON.stringify(data);
	const etag = toEtag(createHash("sha256").update(text).digest("hex"));
	const made = { body: text.length < LARGE_CHARS ? text : Buffer.from(text, "utf8"), etag };
	serialized.set(data, made);
	return made;
}

function toServerTiming(timings: CallResult["timings"]): string {
	return Object.entries(timings)
		.map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`)
		.join(", ");
}
