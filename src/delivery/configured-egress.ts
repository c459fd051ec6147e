/** What leaves the server for addresses its operator chose; those that callers name go through caller-egress. */

import { ReadableStream as NodeReadableStream } from "node:stream/web";
import { LIMITS } from "../contract/contract.js";
import {
	type Egress,
	invalidArgument,
	type OutboundRequest,
	ServiceError,
	unavailable,
} from "../kernel/kernel.js";
import { boundChunks, readBounded, toResponse } from "./reply-body.js";

const LOOPBACK_HOST = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Reaches the operator's own server: on loopback, or on the one host named here. Follows no redirects. */
export function createOperatorEgress(ownHost?: string): Egress {
	return {
		async request(request) {
			const { url, timeoutMs } = request;
			const { hostname, protocol } = new URL(url);
			if (protocol !== "http:" || (hostname !== ownHost && !isLoopback(hostname))) {
				throw invalidArgument(`"${url}" is not an address on this machine.`);
			}
			const signal = untilEither(AbortSignal.timeout(timeoutMs), request.signal);
			const response = await send(request, { redirect: "error", signal }).catch(toUnavailable(url));
			if (!response.body) return response;
			const body = toStream(chunksUntil(response.body, signal));
			return new Response(body, { status: response.status, headers: response.headers });
		},
	};
}

/** Node's own class has `from`, which the type of browsers' does not know yet. */
const toStream = (chunks: AsyncIterable<Uint8Array>) =>
	NodeReadableStream.from(chunks) as ReadableStream<Uint8Array<ArrayBuffer>>;

function send(
	{ method, url, headers = {}, body }: OutboundRequest,
	options: Required<Pick<RequestInit, "redirect" | "signal">>,
): Promise<Response> {
	return fetch(url, { method, headers, ...options, ...(body !== undefined && { body }) });
}

/** What a failed exchange rejects with. Throws UNAVAILABLE. */
function toUnavailable(place: string) {
	return (cause: unknown): never => {
		if (cause instanceof ServiceError) throw cause;
		const isLate = cause instanceof Error && cause.name === "TimeoutError";
		throw unavailable(
			isLate ? `${place} did not answer in time.` : `No server answers at ${place}.`,
			{ cause },
		);
	};
}

/**
 * Reaches the hosts an operator configured, and no other: by https, or by http on loopback. Follows no redirects, and
 * reads no more of a reply than `replyBytesMax` before it hands it on, or as it hands it on. Messages name the host alone: the rest of
 * an address may be a key.
 */
export function createConfiguredEgress(reach: ConfiguredReach): Egress {
	const bytesMax = reach.replyBytesMax ?? LIMITS.configuredReplyBytes;
	const exchange = async (request: OutboundRequest, host: string): Promise<Response> => {
		const signal = untilEither(AbortSignal.timeout(request.timeoutMs), request.signal);
		const response = await send(request, { redirect: "error", signal });
		const chunks = response.body ? chunksUntil(response.body, signal) : [];
		if (reach.streams === true && response.body) {
			const body = toStream(orUnavailable(boundChunks(chunks, { host, bytesMax }), host));
			return new Response(body, { status: response.status, headers: response.headers });
		}
		const reply = await readBounded(chunks, { host, bytesMax });
		return toResponse(response.status, response.headers, reply);
	};
	return {
		async request(request) {
			const { host } = assertConfigured(new URL(request.url), reach);
			return exchange(request, host).catch(toUnavailable(host));
		},
	};
}

/**
 * What a body holds, under the deadline that its headers had. fetch loses its signal once the request has been collected as
 * garbage, which may be while the body still comes.
 */
async function* chunksUntil(
	body: ReadableStream<Uint8Array>,
	signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
	const reader = body.getReader();
	const stop = () => void reader.cancel(signal.reason).catch(() => undefined);
	signal.addEventListener("abort", stop, { once: true });
	try {
		for (;;) {
			signal.throwIfAborted();
			const { done, value } = await reader.read();
			signal.throwIfAborted();
			if (done) return;
			yield value;
		}
	} finally {
		signal.removeEventListener("abort", stop);
		stop();
	}
}

/** A body that breaks off fails as an exchange does that never began. */
async function* orUnavailable(
	chunks: AsyncIterable<Uint8Array>,
	host: string,
): AsyncGenerator<Uint8Array> {
	try {
		yield* chunks;
	} catch (error) {
		toUnavailable(host)(error);
	}
}

interface ConfiguredReach {
	/** Addresses whose hosts may be asked. */
	readonly urls?: readonly string[];
	/** Whatever listens on this machine, as well. */
	readonly loopback?: boolean;
	/** LIMITS.configuredReplyBytes where absent. */
	readonly replyBytesMax?: number;
	/** Whether bodies are handed on as they come; callers who read one are told where it breaks off. */
	readonly streams?: boolean;
}

function assertConfigured(url: URL, { urls = [], loopback = false }: ConfiguredReach): URL {
	const isNamed = urls.some((allowed) => new URL(allowed).host === url.host);
	if (isSafe(url) && (isNamed || (isLoopback(url.hostname) && loopback))) return url;
	throw invalidArgument(`"${url.host}" is not a configured address.`);
}

/** Where models are fetched from. */
export const MODEL_HUB = "https://huggingface.co";
/** The hub sends downloads on to hosts of this domain alone (https://huggingface.co/.well-known/meta.json). */
const HUB_FILES_DOMAIN = ".hf.co";

/**
 * Reaches the model hub, or the one on loopback that stands in for it, and the hosts it keeps its files on. Hands
 * redirects on, so that each next address is judged like the first, and bodies as they come: the reader bounds them.
 * Messages name the host alone: addresses of files are signed.
 */
export function createHubEgress(hub: string = MODEL_HUB): Egress {
	const { origin } = new URL(hub);
	return {
		async request(request) {
			const address = new URL(request.url);
			const { host } = address;
			const isItsFile = address.protocol === "https:" && host.endsWith(HUB_FILES_DOMAIN);
			if (!isItsFile && !(address.origin === origin && isSafe(address))) {
				throw invalidArgument(`"${host}" does not belong to the model hub.`);
			}
			const signal = AbortSignal.timeout(request.timeoutMs);
			return send(request, { redirect: "manual", signal }).catch(toUnavailable(host));
		},
	};
}

function isSafe({ hostname, protocol }: URL): boolean {
	return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

export function isLoopback(hostname: string): boolean {
	return LOOPBACK_HOST.test(hostname);
}

/**
 * Aborts when the time is over or the caller has left. AbortSignal.any does not keep a timeout it was made of from being
 * collected as garbage; a listener does.
 */
function untilEither(timeout: AbortSignal, left: AbortSignal | undefined): AbortSignal {
	if (!left) return timeout;
	const end = new AbortController();
	if (left.aborted) end.abort(left.reason);
	timeout.addEventListener("abort", () => end.abort(timeout.reason), { once: true });
	left.addEventListener("abort", () => end.abort(left.reason), { once: true, signal: timeout });
	return end.signal;
}
