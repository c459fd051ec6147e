import { isUtf8 } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { Request, RequestHandler } from "express";
import ipaddr from "ipaddr.js";
import {
	type Credential,
	invalidInput,
	LIMITS,
	parseCredential,
	type SentHeaders,
} from "../contract/contract.js";
import {
	findJsonFault,
	type Ids,
	invalidArgument,
	invalidSetting,
	ServiceError,
} from "../kernel/kernel.js";
import { type CountedRequest, toCredentialKey, toDigest } from "./rates.js";

const sentHeaders = new WeakMap<IncomingMessage, SentHeaders>();

/** The headers as they were sent: node joins or drops repeated ones, and a repeated credential must be seen. */
export function readHeaders(req: IncomingMessage): SentHeaders {
	const known = sentHeaders.get(req);
	if (known) return known;
	const headers = new Map<string, string[]>();
	const { rawHeaders } = req;
	for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
		const name = String(rawHeaders[index]).toLowerCase();
		const value = String(rawHeaders[index + 1]);
		const values = headers.get(name);
		if (values) values.push(value);
		else headers.set(name, [value]);
	}
	sentHeaders.set(req, headers);
	return headers;
}

const credentials = new WeakMap<IncomingMessage, Credential | undefined>();

/** The credential in the headers of a request, parsed once. Throws INVALID_ARGUMENT or UNAUTHENTICATED. */
export function readCredential(req: IncomingMessage): Credential | undefined {
	if (!credentials.has(req)) credentials.set(req, parseCredential(readHeaders(req)));
	return credentials.get(req);
}

/** The trace that the caller's own request is part of; a repeated header names none (W3C Trace Context, 3.2). */
export function readTraceParent(headers: SentHeaders): string | undefined {
	const sent = headers.get("traceparent");
	return sent?.length === 1 ? sent[0] : undefined;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/** The retry key in "Idempotency-Key", if any. Throws INVALID_ARGUMENT for a repeated, empty, too long or unprintable one. */
export function readRetryKey(headers: SentHeaders): string | undefined {
	const [value, ...others] = headers.get("idempotency-key") ?? [];
	if (value === undefined) return undefined;
	if (
		others.length > 0 ||
		value.length > LIMITS.idempotencyKeyChars ||
		!PRINTABLE_ASCII.test(value)
	) {
		throw invalidArgument(
			`The header "Idempotency-Key" must be sent once and have 1 to ${LIMITS.idempotencyKeyChars} printable ASCII characters.`,
		);
	}
	return value;
}

const ACCEPTED_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** The caller's own request id when it was sent once and is well formed, else a new one. */
export function toRequestId(headers: SentHeaders, ids: Ids): string {
	const [sent, ...others] = headers.get("x-request-id") ?? [];
	const isAccepted = sent !== undefined && others.length === 0 && ACCEPTED_ID.test(sent);
	return isAccepted ? sent : ids.next("req");
}

/** The id an earlier handler gave to this request, or a new one; the response states it. */
export function openRequestId(req: IncomingMessage, res: ServerResponse, ids: Ids): string {
	const given = res.getHeader("X-Request-Id");
	if (typeof given === "string" && given !== "") return given;
	const made = toRequestId(readHeaders(req), ids);
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

/** Some proxies name the caller's port as well. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+)):\d+$/;
/** Groups of an IPv6 address that name a network; one caller usually has all its 2^64 addresses. */
const NETWORK_GROUPS = 4;
const ANONYMOUS = "unknown";

/**
 * The key under which a caller is counted: an IPv4 address, or the /64 network of an IPv6 one. Text that is no address
 * shares one key, so that made-up text does not count as many callers.
 */
export function toCallerAddress(text: string | undefined): string {
	if (text === undefined) return ANONYMOUS;
	const [, v6, v4] = WITH_PORT.exec(text) ?? [];
	const bare = v6 ?? v4 ?? text;
	const version = isIP(bare);
	if (version !== 6) return version === 4 ? bare : ANONYMOUS;
	// A mapped address counts as its IPv4 one; the library would take the deprecated `::192.0.2.1` for such a one, too.
	const address = ipaddr.process(bare.replace(/^::(?=\d+\.)/, "0::"));
	if (address instanceof ipaddr.IPv4) return address.toString();
	const network = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
	return `${network.join(":")}::/64`;
}

/**
 * By what a request is counted: its address and the digest of its credential, if it has one. What no customer's credential
 * looks like is counted as it was sent, and may still be an operator's.
 */
export function readCaller(
	req: Pick<Request, "ip"> & IncomingMessage,
): Pick<CountedRequest, "address" | "credentialKey"> {
	const { authorization } = req.headers;
	return toCounted(toCallerAddress(req.ip), () => anyCredentialOf(req), authorization);
}

/** The same for what comes another way; `read` throws for a credential that cannot be read. */
export function toCounted(
	address: string,
	read: () => Credential | undefined,
	authorization: string | undefined,
): Pick<CountedRequest, "address" | "credentialKey"> {
	try {
		const credential = read();
		return { address, credentialKey: credential && toCredentialKey(credential) };
	} catch {
		const key =
			authorization === undefined ? `unreadable from ${address}` : toDigest(authorization);
		return { address, credentialKey: key };
	}
}

/** In the address or in a header. Throws like readCredential. */
export function anyCredentialOf(req: IncomingMessage): Credential | undefined {
	const token = connectionTokenOf(req.url ?? "");
	if (token !== undefined) return { scheme: "connection", token };
	const { authorization, "x-pay-spt": spt, "x-api-key": key } = req.headers;
	const isNone = authorization === undefined && spt === undefined && key === undefined;
	return isNone ? undefined : readCredential(req);
}

/** True for those that name pages before JSON, as browsers do; what takes anything is a program. */
export function prefersPage(req: Pick<Request, "accepts">): boolean {
	return req.accepts(["application/json", "text/html"]) === "text/html";
}

/** Headers by which proxies announce that they forward a request. */
const OF_PROXIES = /^(?:forwarded|x-forwarded-.+|x-real-ip|via)$/;

/** True when a proxy says that the request is not its own. */
function isForwarded(headers: Iterable<string>): boolean {
	return [...headers].some((name) => OF_PROXIES.test(name));
}

/** A proxy in front would carry paper money off this machine. Throws INVALID_ARGUMENT. */
export function assertNotForwarded(headers: Iterable<string>): void {
	if (!isForwarded(headers)) return;
	throw invalidArgument(
		"The demo profile serves this machine only and takes no forwarded requests; start with --profile production behind a proxy.",
	);
}

export const refuseForwarded: RequestHandler = ({ headers }, _response, next) => {
	assertNotForwarded(Object.keys(headers));
	next();
};

/** Distinguishes the operator of this machine from everyone else. */
export type OperatorCheck = ReturnType<typeof createOperatorCheck>;

export function createOperatorCheck(adminToken: string) {
	const expected = Buffer.from(`Bearer ${adminToken}`);
	/** The request was made on this machine, and no proxy says that it carried it here for another. */
	const isNear = (req: IncomingMessage) =>
		isFromThisMachine(req) && !isForwarded(Object.keys(req.headers));
	return {
		isNear,
		/** It is near, and comes with the admin token. */
		isOperator(req: IncomingMessage): boolean {
			const shown = Buffer.from(req.headers.authorization ?? "");
			const isToken = shown.length === expected.length && timingSafeEqual(shown, expected);
			return isToken && isNear(req);
		},
	};
}

/** True for an address to listen on that this machine alone can reach. */
export function isLoopback(host: string): boolean {
	return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Loopback, or one of this machine's own addresses calling itself. */
function isFromThisMachine({ socket }: IncomingMessage): boolean {
	const { remoteAddress: peer, localAddress: own } = socket;
	return peer !== undefined && (peer === own || /^(127\.|::1$|::ffff:127\.)/.test(peer));
}

/**
 * Addresses and networks that are trusted in `X-Forwarded-For`, as Express reads them; a proxy on this machine needs no
 * mention. Throws INVALID_ARGUMENT for what is no address, and for a network of all addresses.
 */
export function parseTrustedProxies(text: string): readonly string[] {
	const named = text
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "");
	const wrong = named.find((part) => !isNetwork(part));
	if (wrong === undefined) return named;
	throw invalidSetting(
		`"${wrong}" in trusted_proxies is no address and no network of proxies; write them like 10.0.0.5, 172.18.0.0/16.`,
	);
}

function isNetwork(text: string): boolean {
	const [address = ""] = text.split("/");
	if (isIP(address) === 0 || /%|\/0/.test(text)) return false;
	return address === text || ipaddr.isValidCIDR(text);
}

/**
 * The JSON that was sent, undefined where nothing was; see parsePlainJson. A body that is too long is refused when that
 * is known, and not read to its end first. Throws INVALID_ARGUMENT.
 */
export async function readJsonBody(
	req: IncomingMessage,
	levelsMax: number,
	bytesMax: number = LIMITS.bodyBytes,
): Promise<unknown> {
	if (!hasBody(req)) return undefined;
	const { "content-encoding": coding, "content-length": length } = req.headers;
	if (coding !== undefined && !/^identity$/i.test(coding)) {
		throw invalid("A compressed body is not accepted; send it as it is.");
	}
	if (Number(length) > bytesMax) throw tooLong(bytesMax);
	const bytes = await readBytes(req, bytesMax);
	if (!isUtf8(bytes)) throw invalid("The body must be encoded in UTF-8.");
	const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
	return text === "" ? undefined : parsePlainJson(text, levelsMax);
}

/** True when the request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
	const length = headers["content-length"];
	return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/** True for JSON that is no JSON at all, as opposed to too large, too deep or wrongly encoded. */
export function isNoJson(error: unknown): boolean {
	return error instanceof ServiceError && error.cause instanceof SyntaxError;
}

// Leaving an iterator would destroy the connection, and the refusal with it.
function readBytes(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let length = 0;
		const onData = (chunk: Buffer) => {
			length += chunk.length;
			chunks.push(chunk);
			if (length > bytesMax) end(() => reject(tooLong(bytesMax)));
		};
		const onEnd = () => end(() => resolve(Buffer.concat(chunks)));
		const onClose = () => end(() => reject(invalid("The request ended before its body did.")));
		const end = (settle: () => void) => {
			req.off("data", onData).off("end", onEnd).off("close", onClose);
			settle();
		};
		// Without a listener its end would be an exception; after an error comes a close.
		req.on("error", () => undefined);
		req.on("data", onData).on("end", onEnd).on("close", onClose);
	});
}

function tooLong(bytesMax: number): ServiceError {
	return invalid(`The body is larger than ${bytesMax} bytes.`);
}

function invalid(message: string): ServiceError {
	return invalidArgument(message);
}

/** Names that JavaScript gives a meaning of its own; no field of ours has them. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads JSON that is bounded in depth, and names no field twice and none that JavaScript gives a meaning of its own: parsers
 * differ on which of two fields counts, and a proxy must not see another request than we do. Throws INVALID_ARGUMENT, with
 * the SyntaxError as its cause where the text is no JSON.
 */
export function parsePlainJson(text: string, levelsMax: number): unknown {
	const fault = findJsonFault(text, levelsMax, UNSAFE_NAMES);
	if (fault?.kind === "depth") {
		throw invalid(`The body is nested deeper than ${levelsMax} levels.`);
	}
	if (fault) {
		const message = fault.kind === "refused" ? "is not a known field" : "stands there twice";
		throw invalidInput([{ path: fault.path, message }]);
	}
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw invalidArgument("The body is not valid JSON.", { cause });
	}
}

/** The fields of a form, each once. Throws INVALID_ARGUMENT for anything else. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
	const type = req.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
	const length = Number(req.headers["content-length"] ?? Number.NaN);
	if (type !== "application/x-www-form-urlencoded") throw noForm();
	// Browsers state the length of a form, and node reads no more than was stated.
	if (!(length <= LIMITS.formBodyBytes)) throw noForm();
	const chunks: Buffer[] = [];
	for await (const chunk of req) chunks.push(chunk as Buffer);
	const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
	if (new Set(form.keys()).size !== [...form.keys()].length) throw noForm();
	return form;
}

function noForm(): ServiceError {
	return invalidArgument("The request must be a form of a few short fields.");
}
