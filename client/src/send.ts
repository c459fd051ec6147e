/** Sends a request, again where that is safe and worth it, and never longer than it may. */
import { aborted, ClientError, throwIfAborted } from "./errors.js";
import { type Reply, readReply, toError } from "./reply.js";

export interface Outgoing {
	readonly method: string;
	/** Path and query, below the client's base address. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string | undefined;
	/** Whether sending it twice does no more than sending it once. */
	readonly isRepeatable: boolean;
	readonly signal: AbortSignal | undefined;
}

export interface TransportOptions {
	/** Without a slash at its end. */
	readonly baseUrl: string;
	readonly fetch: typeof fetch;
	/** Of one attempt, until its answer is read. */
	readonly timeoutMs: number;
	readonly retry: RetryOptions;
	readonly bytesMax: number;
}

export interface RetryOptions {
	/** How often one request is sent at most. */
	readonly attempts: number;
	/** The first pause; each one after may be twice as long. */
	readonly pauseMs: number;
	/** No pause is longer, and a server that asks for a longer one is not asked again. */
	readonly pauseMostMs: number;
}

/** What became of a request so far, for anyone who has to say what was charged. */
export interface Trace {
	/** How often it was sent. */
	sent: number;
	/** The beginning of an answer came. */
	isAnswered: boolean;
	/** One of them may have done its work without our being told. */
	isLost: boolean;
}

export function newTrace(): Trace {
	return { sent: 0, isAnswered: false, isLost: false };
}

export type Transport = ReturnType<typeof createTransport>;

export function createTransport({ baseUrl, fetch, timeoutMs, retry, bytesMax }: TransportOptions) {
	const start = async (
		outgoing: Outgoing,
		trace: Trace,
		signal: AbortSignal,
	): Promise<Response> => {
		const { method, path, headers, body } = outgoing;
		trace.sent += 1;
		const response = await fetch(`${baseUrl}${path}`, {
			method,
			headers: body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
			redirect: "manual",
			credentials: "omit",
			signal,
			...(body !== undefined && { body }),
		});
		trace.isAnswered = true;
		return response;
	};

	/** One attempt after another, until one is good, none is left, or the next would do harm. */
	const repeat = async <T>(
		outgoing: Outgoing,
		trace: Trace,
		attempt: () => Promise<T>,
	): Promise<T> => {
		for (let count = 1; ; count += 1) {
			try {
				throwIfAborted(outgoing.signal);
				return await attempt();
			} catch (cause) {
				const error = toClientError(cause, outgoing.signal);
				trace.isLost ||= error.chargedUsd === undefined;
				const isLast = count >= retry.attempts || !mayRepeat(error, outgoing);
				const pauseMs = error.retryAfterMs ?? backoff(retry, count);
				if (isLast || pauseMs > retry.pauseMostMs) throw error;
				await pause(pauseMs, outgoing.signal);
			}
		}
	};

	return {
		baseUrl,
		retry,
		/** A whole answer; statuses from 400 on are thrown, but that of a challenge where it `takesChallenge`. */
		send(outgoing: Outgoing, trace: Trace, takesChallenge = false): Promise<Reply> {
			return repeat(outgoing, trace, async () => {
				const limit = new AbortController();
				const timer = setTimeout(() => limit.abort(timedOut(timeoutMs)), timeoutMs);
				try {
					const signal = anySignal(limit.signal, outgoing.signal);
					const reply = await readReply(await start(outgoing, trace, signal), bytesMax);
					return assertGood(reply, takesChallenge);
				} finally {
					clearTimeout(timer);
				}
			});
		},
		/** An answer whose body is read as it comes; its signal ends that. What is no success is read and thrown. */
		open(outgoing: Outgoing, trace: Trace, takesChallenge = false): Promise<Response | Reply> {
			return repeat(outgoing, trace, async () => {
				const limit = new AbortController();
				const timer = setTimeout(() => limit.abort(timedOut(timeoutMs)), timeoutMs);
				try {
					const response = await start(outgoing, trace, anySignal(limit.signal, outgoing.signal));
					const isStream = response.headers.get("content-type")?.startsWith("text/event-stream");
					if (response.status === 200 && isStream) return response;
					return assertGood(await readReply(response, bytesMax), takesChallenge);
				} finally {
					clearTimeout(timer);
				}
			});
		},
	};
}

function assertGood(reply: Reply, takesChallenge: boolean): Reply {
	if (reply.status < 400 || (takesChallenge && reply.status === 402)) return reply;
	throw toError(reply);
}

/** What a proxy answers for a server that is away; the server itself says by Retry-After when to come back. */
const OF_GATEWAYS: ReadonlySet<number> = new Set([502, 504]);

function mayRepeat(error: ClientError, { isRepeatable }: Outgoing): boolean {
	const { code, status, retryAfterMs } = error;
	if (code === "ABORTED") return false;
	if (code === "NETWORK" || code === "TIMEOUT") return isRepeatable;
	// Refused before anything was done.
	if (status === 429 || code === "IDEMPOTENCY_IN_FLIGHT")
		return error.retryable || retryAfterMs !== undefined;
	if (status === 503) return isRepeatable || code === "UNAVAILABLE";
	return isRepeatable && status !== undefined && OF_GATEWAYS.has(status);
}

/** Why it ended; throws nothing. */
function toClientError(cause: unknown, signal: AbortSignal | undefined): ClientError {
	if (signal?.aborted) return aborted(signal);
	if (cause instanceof ClientError) return cause;
	return new ClientError("NETWORK", "The connection broke before the whole answer was read.", {
		cause,
		retryable: true,
		chargedUsd: undefined,
	});
}

function timedOut(timeoutMs: number): ClientError {
	return new ClientError("TIMEOUT", `There was no whole answer within ${timeoutMs} milliseconds.`, {
		retryable: true,
		chargedUsd: undefined,
	});
}

/** Aborted with any of them. */
function anySignal(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
	return other ? AbortSignal.any([one, other]) : one;
}

/** Half of it by chance, so that many callers do not come back at once. */
export function backoff({ pauseMs, pauseMostMs }: RetryOptions, count: number): number {
	const most = Math.min(pauseMostMs, pauseMs * 2 ** (count - 1));
	return most / 2 + (Math.random() * most) / 2;
}

/** Throws ABORTED as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve, reject) => {
		const end = () => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			try {
				throwIfAborted(signal);
				resolve();
			} catch (error) {
				reject(error);
			}
		};
		const timer = setTimeout(end, ms);
		signal?.addEventListener("abort", end, { once: true });
		if (signal?.aborted) end();
	});
}
