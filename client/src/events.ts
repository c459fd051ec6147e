/** Server-Sent Events as an iterator that goes on where a connection broke. */
import { ClientError, throwIfAborted } from "./errors.js";
import { invalidReply, isRecord } from "./reply.js";
import { backoff, pause, type RetryOptions } from "./send.js";

export interface ServerEvent {
	/** Rises from event to event. */
	readonly id: string;
	/** What happened, e.g. `research.evidence`. */
	readonly event: string;
	readonly data: Readonly<Record<string, unknown>>;
}

/** After one of these there is none. */
const LAST_EVENTS: ReadonlySet<string> = new Set([
	"research.completed",
	"research.failed",
	"research.cancelled",
]);
const EVENT_CHARS_MAX = 4_000_000;

export interface FollowOptions {
	/** The stream behind an event, or from its beginning; undefined where nothing is left. Throws what cannot be repaired. */
	readonly open: (lastId: string | undefined) => Promise<Response | undefined>;
	readonly retry: RetryOptions;
	/** A connection on which nothing comes for so long is taken for broken. */
	readonly idleMs: number;
	readonly signal: AbortSignal | undefined;
	readonly lastId?: string | undefined;
}

/** Every event once, to the last. Throws NETWORK where the connection breaks again and again without any event between. */
export async function* follow(
	options: FollowOptions,
): AsyncGenerator<ServerEvent, void, undefined> {
	const { open, retry, signal } = options;
	const place = { lastId: options.lastId };
	for (let failures = 0; ; ) {
		const { lastId } = place;
		const response = await open(lastId);
		if (response === undefined || (yield* readOn(response, options, place))) return;
		failures = place.lastId === lastId ? failures + 1 : 1;
		if (failures >= retry.attempts) throw broken();
		await pause(backoff(retry, failures), signal);
	}
}

/** What comes on one connection behind that place, which moves on; true once the last event came. */
async function* readOn(
	response: Response,
	options: FollowOptions,
	place: { lastId: string | undefined },
): AsyncGenerator<ServerEvent, boolean, undefined> {
	try {
		for await (const event of readEvents(response, options)) {
			// Behind a proxy that repeats what it has, an event may come twice.
			if (place.lastId !== undefined && Number(event.id) <= Number(place.lastId)) continue;
			place.lastId = event.id;
			yield event;
			if (LAST_EVENTS.has(event.event)) return true;
		}
	} catch (error) {
		throwIfAborted(options.signal);
		if (error instanceof ClientError && error.code !== "NETWORK") throw error;
	}
	return false;
}

function broken(): ClientError {
	return new ClientError(
		"NETWORK",
		"The stream breaks off again and again before its next event.",
		{
			retryable: true,
			chargedUsd: undefined,
		},
	);
}

/** The events of one connection, until it ends or breaks. */
async function* readEvents(
	{ body }: Response,
	{ idleMs, signal }: Pick<FollowOptions, "idleMs" | "signal">,
): AsyncGenerator<ServerEvent, void, undefined> {
	if (!body) return;
	const reader = body.getReader();
	const decoder = new TextDecoder();
	let rest = "";
	try {
		for (;;) {
			const { done, value } = await readSoon(reader, idleMs, signal);
			if (done) return;
			const text = `${rest}${decoder.decode(value, { stream: true })}`.replaceAll("\r\n", "\n");
			const blocks = text.split("\n\n");
			rest = blocks.pop() ?? "";
			if (rest.length > EVENT_CHARS_MAX) throw invalidReply("An event of the stream has no end.");
			yield* blocks.map(parseEvent).filter((event) => event !== undefined);
		}
	} finally {
		await reader.cancel().catch(() => undefined);
	}
}

/** Rejects when nothing comes in time, or when the signal is aborted. */
async function readSoon(
	reader: ReadableStreamDefaultReader<Uint8Array>,
	idleMs: number,
	signal: AbortSignal | undefined,
) {
	const waiting = new AbortController();
	const ends = signal ? AbortSignal.any([signal, waiting.signal]) : waiting.signal;
	try {
		return await Promise.race([
			reader.read(),
			pause(idleMs, ends).then(() => {
				throw broken();
			}),
		]);
	} finally {
		waiting.abort();
	}
}

/** Comments and fields of other kinds are passed over. Throws INVALID_REPLY. */
function parseEvent(block: string): ServerEvent | undefined {
	const fields: Record<string, string> = {};
	for (const line of block.split("\n")) {
		const [, name = "", value = ""] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
		if (name === "data" && fields["data"] !== undefined) fields["data"] += `\n${value}`;
		else if (name !== "") fields[name] = value;
	}
	const { id, event, data } = fields as { id?: string; event?: string; data?: string };
	if (data === undefined) return undefined;
	const parsed = parseData(data);
	if (id === undefined || !/^\d{1,15}$/.test(id) || event === undefined || !isRecord(parsed)) {
		throw invalidReply("The stream holds what is no event of this interface.");
	}
	return { id, event, data: parsed };
}

function parseData(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
