import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, RequestHandler } from "express";
import {
	invalidInput,
	LIMITS,
	type Payment,
	parsePayment,
	readPaymentId,
	type SentHeaders,
} from "../contract/contract.js";
import {
	hasBody,
	readCredential,
	readHeaders,
	readJsonBody,
	readRetryKey,
	readTraceParent,
} from "../http/http.js";
import { invalidArgument, ServiceError } from "../kernel/kernel.js";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?;?$/i;

/** Takes so many bytes until the reply has left. Throws RATE_LIMITED when there is no room for them. */
type BodyRoom = (bytes: number, res: ServerResponse) => void;

/** Bounds the memory that large bodies take, of all callers together: anybody may send one before it is known who pays. */
export function createBodyRoom(bytesMax: number = LIMITS.largeBodiesBytes): BodyRoom {
	let taken = 0;
	return (bytes, res) => {
		if (taken + bytes > bytesMax) {
			throw new ServiceError(
				"RATE_LIMITED",
				"Too many large requests are being read; send the same one again in a moment.",
				{ retryAfterSeconds: LIMITS.retryAfterSeconds },
			);
		}
		taken += bytes;
		res.once("close", () => {
			taken -= bytes;
		});
	};
}

/**
 * Leaves a bounded JSON value in `req.body`, an object without fields where none was sent; mounted where a body is read at all.
 * More than the usual bytes are read only where their number was announced, so that room is taken first.
 */
export function createBodyReader(large?: {
	readonly bytesMax: number;
	readonly takeRoom: BodyRoom;
}): RequestHandler[] {
	const read: RequestHandler = async (req, res, next) => {
		const length = Number(req.headers["content-length"] ?? 0);
		const bytesMax = large && length > LIMITS.bodyBytes ? large.bytesMax : LIMITS.bodyBytes;
		if (length > LIMITS.bodyBytes && length <= bytesMax) large?.takeRoom(length, res);
		const body = await readJsonBody(req, LIMITS.bodyDepth, bytesMax);
		req.body = body === undefined ? {} : body;
		next();
	};
	return [requireJsonType, read];
}

const requireJsonType: RequestHandler = (req, _res, next) => {
	const type = req.headers["content-type"];
	if (type === undefined ? !hasBody(req) : JSON_TYPE.test(type)) return next();
	throw invalidArgument(
		'The body must be JSON in UTF-8; send it with the header "Content-Type: application/json".',
	);
};

/** The query as a flat record of strings. Throws INVALID_ARGUMENT when a name comes twice: which one counts would be a guess. */
export function readQuery({ url = "" }: IncomingMessage): Readonly<Record<string, string>> {
	const start = url.indexOf("?");
	// No prototype, so that a parameter called "__proto__" is a key like any other and refused as unknown.
	const query: Record<string, string> = Object.create(null);
	if (start < 0) return query;
	for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
		if (Object.hasOwn(query, name)) {
			throw invalidInput([{ path: name.slice(0, 80), message: "was sent more than once" }]);
		}
		query[name] = value;
	}
	return query;
}

/** Throws RATE_LIMITED when one address sends more payments than it could mean: each is checked at a facilitator. */
export type PaymentLimit = (req: Request) => void;

/** Keeps callers' keys apart from the message ids that other transports use as keys. */
const KEY_PREFIX = "rest:";

/** Who calls, what pays and at which quoted price, as the headers say. Throws INVALID_ARGUMENT, UNAUTHENTICATED and RATE_LIMITED. */
export function readCallHeaders(req: Request, limitPayments: PaymentLimit) {
	const headers = readHeaders(req);
	const credential = readCredential(req);
	const payment = parsePayment(headers);
	const idempotencyKey = readIdempotencyKey(headers, payment);
	if (payment) limitPayments(req);
	const [quoteId, ...others] = headers.get("x-quote-id") ?? [];
	if (quoteId !== undefined && (others.length > 0 || !QUOTE_ID.test(quoteId))) {
		throw invalidArgument(
			'The header "X-Quote-Id" must be sent once and hold the id of a quote (qte_…).',
		);
	}
	return { idempotencyKey, credential, payment, quoteId, traceParent: readTraceParent(headers) };
}

/** The caller's retry key, if any: the header, else that in the payment. Throws INVALID_ARGUMENT for a repeated, empty, too long or unprintable one. */
export function readIdempotencyKey(headers: SentHeaders, payment?: Payment): string | undefined {
	const value = readRetryKey(headers) ?? readPaymentId(payment);
	return value && `${KEY_PREFIX}${value}`;
}

const QUOTE_ID = /^qte_[A-Za-z0-9_.-]{1,1024}$/;
