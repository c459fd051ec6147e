/** Reads what a server answers, and trusts none of it: bounded in size, and checked where money or control depends on it. */
import {
	ClientError,
	type ClientErrorOptions,
	type Continuation,
	type ErrorDetail,
	toServerCode,
} from "./errors.js";
import { readUsd } from "./money.js";

export interface Reply {
	readonly status: number;
	readonly headers: Headers;
	/** JSON, text, or bytes of anything else; undefined where there was no body. */
	readonly body: unknown;
}

const MESSAGE_CHARS = 500;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws REPLY_TOO_LARGE, INVALID_REPLY; rejects with what the connection broke by. */
export async function readReply(response: Response, bytesMax: number): Promise<Reply> {
	const { status, headers } = response;
	// "manual" shows a redirection as it is, in browsers as status 0: credentials follow none.
	if (status < 200 || (status >= 300 && status < 400)) {
		throw invalidReply("The server answers with a redirection, which is not followed.", { status });
	}
	const bytes = await readBytes(response, bytesMax);
	const mediaType = headers.get("content-type") ?? "";
	const isError = status >= 400;
	if (bytes.length === 0) return { status, headers, body: undefined };
	if (!isError && !/json|^text\//.test(mediaType)) return { status, headers, body: bytes };
	const text = new TextDecoder().decode(bytes);
	if (!/json/.test(mediaType)) return { status, headers, body: text };
	try {
		return { status, headers, body: JSON.parse(text) };
	} catch (cause) {
		throw invalidReply("The server's answer is no JSON.", { status, cause });
	}
}

async function readBytes(response: Response, bytesMax: number): Promise<Uint8Array> {
	const reader = response.body?.getReader();
	const chunks: Uint8Array[] = [];
	let length = 0;
	for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
		length += next.value.length;
		if (length > bytesMax) {
			await reader?.cancel().catch(() => undefined);
			throw new ClientError("REPLY_TOO_LARGE", `The answer has more than ${bytesMax} bytes.`, {
				status: response.status,
				chargedUsd: undefined,
			});
		}
		chunks.push(next.value);
	}
	const bytes = new Uint8Array(length);
	let place = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, place);
		place += chunk.length;
	}
	return bytes;
}

/** What an answer is that is no success; a proxy's page is one without a charge that is known. */
export function toError({ status, headers, body }: Reply): ClientError {
	const { code, message, request_id: requestId, retryable, details } = recordIn(body, "error");
	const retryAfterMs = readRetryAfter(headers);
	if (typeof code !== "string" || typeof message !== "string") {
		return new ClientError(
			"INVALID_REPLY",
			`The server answers with status ${status}, and no error of this interface.`,
			{
				status,
				retryAfterMs,
				retryable: status >= 502,
				chargedUsd: status >= 500 ? undefined : "0.00",
			},
		);
	}
	return new ClientError(toServerCode(code), message.slice(0, MESSAGE_CHARS), {
		status,
		serverCode: code.slice(0, 80),
		retryable: retryable === true,
		retryAfterMs,
		requestId: typeof requestId === "string" ? requestId : undefined,
		details: Array.isArray(details) ? details.filter(isDetail) : [],
		continuations: continuationsOf(body),
		chargedUsd: code === "SETTLEMENT_UNKNOWN" || isSettled(headers) ? undefined : "0.00",
	});
}

/** The receipt of a payment says that it settled, also where the call failed then. */
export function isSettled(headers: Headers): boolean {
	const settled = decodeBase64Json(headers.get("PAYMENT-RESPONSE"));
	return headers.has("Payment-Receipt") || (isRecord(settled) && settled["success"] === true);
}

/** The field of a JSON object that is one itself; an empty one where it is not. */
export function recordIn(value: unknown, field: string): Readonly<Record<string, unknown>> {
	const found = isRecord(value) ? value[field] : undefined;
	return isRecord(found) ? found : {};
}

function isDetail(value: unknown): value is ErrorDetail {
	return (
		isRecord(value) && typeof value["path"] === "string" && typeof value["message"] === "string"
	);
}

export function continuationsOf(body: unknown): readonly Continuation[] {
	const all = isRecord(body) ? body["continuations"] : undefined;
	return Array.isArray(all)
		? all.filter((one): one is Continuation => isRecord(one) && typeof one["type"] === "string")
		: [];
}

/** Seconds, or a date. */
function readRetryAfter(headers: Headers): number | undefined {
	const text = headers.get("retry-after");
	if (text === null) return undefined;
	const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
	return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Micro-USD that a paid answer says it cost; undefined where it does not say. */
export function costOf({ headers, body }: Pick<Reply, "headers" | "body">): bigint | undefined {
	const cost = recordIn(recordIn(body, "meta"), "cost");
	return readUsd(cost["amount_usd"] ?? headers.get("x-cost-usd"));
}

/** JSON in base64 or base64url; undefined for anything else. */
export function decodeBase64Json(text: string | null | undefined): unknown {
	try {
		const bytes = decodeBase64(text ?? "");
		return JSON.parse(new TextDecoder().decode(bytes));
	} catch {
		return undefined;
	}
}

/** Throws for what is no base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
	const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
	return Uint8Array.from(plain, (char) => char.charCodeAt(0));
}

export function encodeBase64Json(value: unknown): string {
	const bytes = new TextEncoder().encode(JSON.stringify(value));
	return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** An answer that cannot be relied on; what it cost is not known. */
export function invalidReply(message: string, options: ClientErrorOptions = {}): ClientError {
	return new ClientError("INVALID_REPLY", message, { chargedUsd: undefined, ...options });
}
