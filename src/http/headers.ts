import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHandler, Response } from "express";
import {
	type CostWire,
	type Credential,
	type HeaderReader,
	parseCredential,
} from "../contract/contract.js";
import type { Ids } from "../kernel/kernel.js";

/** What every HTTP transport reads in the same way, before its own protocol begins. */

/** Reads the headers as they were sent: node joins or drops repeated ones, and a repeated credential must be seen. */
export function createHeaderReader({ rawHeaders }: IncomingMessage): HeaderReader {
	return (name) => {
		const values: string[] = [];
		for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
			if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? "");
		}
		return values;
	};
}

const credentials = new WeakMap<IncomingMessage, Credential | undefined>();

/** The credential in the headers of a request, parsed once. Throws INVALID_ARGUMENT or UNAUTHENTICATED. */
export function readCredential(req: IncomingMessage): Credential | undefined {
	if (!credentials.has(req)) credentials.set(req, parseCredential(createHeaderReader(req)));
	return credentials.get(req);
}

const ACCEPTED_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** The caller's own request id when it was sent once and is well formed, else a new one. */
export function toRequestId(header: HeaderReader, ids: Ids): string {
	const [sent, ...others] = header("x-request-id");
	const isAccepted = sent !== undefined && others.length === 0 && ACCEPTED_ID.test(sent);
	return isAccepted ? sent : ids.next("req");
}

/** The id an earlier handler gave to this request, or a new one; the response tells it. */
export function openRequestId(req: IncomingMessage, res: ServerResponse, ids: Ids): string {
	const given = res.getHeader("X-Request-Id");
	if (typeof given === "string" && given !== "") return given;
	const made = toRequestId(createHeaderReader(req), ids);
	res.setHeader("X-Request-Id", made);
	return made;
}

/** Where connection tokens are part of the address. */
export const CONNECTION_PATH = "/c";

/** The secret in such an address; undefined for any other. */
export function connectionTokenOf(url: string): string | undefined {
	const [, token] = /^\/c\/([^/?#]+)\/?(?:[?#]|$)/.exec(url) ?? [];
	return token;
}

/** Gives every request its id, the caller's own when it is well formed, and echoes it. Asked twice, it keeps the first. */
export function createRequestId(ids: Ids): RequestHandler {
	return (req, res, next) => {
		openRequestId(req, res, ids);
		next();
	};
}

/** The id `createRequestId` gave to the request this response answers. */
export function requestIdOf(res: Response): string {
	return String(res.getHeader("X-Request-Id") ?? "");
}

/** What a paid reply says of its price in the headers; a header whose value is unknown is left out. */
export function costHeaders(cost: CostWire): Record<string, string> {
	return {
		"X-Cost-USD": cost.amount_usd,
		...(cost.balance_after_usd !== null && { "X-Balance-After-USD": cost.balance_after_usd }),
		...(cost.receipt_id !== null && { "X-Receipt-Id": cost.receipt_id }),
		...(cost.replayed && { "Idempotent-Replayed": "true" }),
	};
}
