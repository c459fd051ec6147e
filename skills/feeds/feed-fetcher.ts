import PQueue from "p-queue";
import {
	type Clock,
	type Egress,
	readRetryAfterMs,
	ServiceError,
} from "../../src/kernel/kernel.js";
import { readReply } from "./connectors.js";
import { FEED_LIMITS } from "./feed-limits.js";
import { invalidReply } from "./feed-reading.js";
import type { FeedSpec } from "./feed-registry.js";
import type { KeptReading } from "./feed-values.js";

interface Asked {
	/** The value so far, whose validators make the request conditional. */
	readonly kept?: KeptReading | undefined;
	/** The question to a search feed. */
	readonly topic?: string | undefined;
	/** Given a whole reply before it is read, so that one which cannot be read can be looked at. */
	readonly onBody?: ((body: string) => void) | undefined;
}

/** Asks a feed's source. Throws UPSTREAM or RATE_LIMITED with a reason that may be shown. */
export type FeedFetcher = (feed: FeedSpec, asked: Asked) => Promise<KeptReading>;

const ACCEPT = {
	csv: "text/csv, text/plain, */*;q=0.5",
	json: "application/json",
	"json-stat": "application/json",
	feed: "application/atom+xml, application/rss+xml, application/xml, text/xml, */*;q=0.5",
	docs: "application/json",
} as const;

/**
 * Fetches at each host's pace and a few at once in all. Each ends within FEED_LIMITS.fetchMs of being asked for, its waits for
 * the host and in the queue included.
 */
export function createFeedFetcher({
	egress,
	clock,
	userAgent,
}: {
	/** Reaches the hosts of the registry and no other; bounds bodies, follows no redirects. */
	readonly egress: Egress;
	readonly clock: Clock;
	/** Names the operator's contact, which some hosts require. */
	readonly userAgent: string;
}): FeedFetcher {
	const pace = createHostPace(clock);
	const queue = new PQueue({ concurrency: FEED_LIMITS.fetchesRunning });
	const assertFree = (host: string) => {
		if (pace.isHeld(host)) throw busy(`${host} asks to be left alone for a while.`);
	};
	const ask = async (feed: FeedSpec, { kept, topic, onBody }: Asked, sinceMs: number) => {
		const { host } = new URL(feed.url);
		// It may have said so to a request before this one in the queue.
		assertFree(host);
		const waitedMs = clock.monotonicMs() - sinceMs;
		const response = await send(egress, {
			method: "GET",
			url: toAddress(feed.url, { topic, nowMs: clock.now() }),
			headers: {
				Accept: ACCEPT[feed.connector],
				"User-Agent": userAgent,
				...(kept?.etag !== undefined && { "If-None-Match": kept.etag }),
				...(kept?.lastModified !== undefined && { "If-Modified-Since": kept.lastModified }),
			},
			timeoutMs: Math.max(1, Math.floor(FEED_LIMITS.fetchMs - waitedMs)),
		});
		const retrievedAt = clock.now();
		if (response.status === 304 && kept) return { ...kept, retrievedAt };
		const heldMs = readRetryAfterMs(response, { now: retrievedAt, maxMs: FEED_LIMITS.retryMaxMs });
		if (heldMs !== undefined) pace.hold(host, heldMs);
		if (response.status !== 200) throw invalidReply(`It answered with status ${response.status}.`);
		const body = await response.text();
		onBody?.(body);
		const reading = await readReply(feed, body, retrievedAt);
		assertLater(reading, kept);
		return {
			reading,
			retrievedAt,
			etag: headerOf(response, "etag"),
			lastModified: headerOf(response, "last-modified"),
			origin: "source" as const,
		};
	};
	return async (feed, asked) => {
		const sinceMs = clock.monotonicMs();
		const { host } = new URL(feed.url);
		const { intervalMs } = feed;
		assertFree(host);
		const isTurn = await pace.turn(host, { intervalMs, patienceMs: FEED_LIMITS.patienceMs });
		if (!isTurn) {
			throw busy(`${host} is asked once every ${intervalMs / 1000} s, and others wait already.`);
		}
		if (queue.size >= FEED_LIMITS.fetchesWaiting) throw busy();
		const spentMs = clock.monotonicMs() - sinceMs;
		const waitMs = FEED_LIMITS.fetchMs - FEED_LIMITS.fetchLeastMs - spentMs;
		return inQueue({ queue, clock, waitMs }, () => ask(feed, asked, sinceMs));
	};
}

/** The work's result, once the queue lets it in; throws RATE_LIMITED when that takes too long. */
function inQueue<T>(
	{ queue, clock, waitMs }: { queue: PQueue; clock: Clock; waitMs: number },
	work: () => Promise<T>,
): Promise<T> {
	return new Promise((resolve, reject) => {
		const leaving = new AbortController();
		const cancelTimer = clock.after(Math.max(0, waitMs), () => {
			leaving.abort();
			reject(busy());
		});
		const begin = () => {
			cancelTimer();
			return work();
		};
		queue.add(begin, { signal: leaving.signal }).then(resolve, reject);
	});
}

function busy(reason = "Too many feeds are being fetched."): ServiceError {
	return new ServiceError("RATE_LIMITED", reason);
}

async function send(egress: Egress, request: Parameters<Egress["request"]>[0]): Promise<Response> {
	try {
		return await egress.request(request);
	} catch (error) {
		throw invalidReply(reasonOf(error));
	}
}

/** Why nothing came, without the address: a sentence of ours in any case. */
function reasonOf(error: unknown): string {
	for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
		if (at.name === "TimeoutError") return "It gave no whole answer in time.";
		if (at.message === "unexpected redirect") return "It redirects, which is not followed.";
	}
	return error instanceof ServiceError ? error.message : "It could not be asked.";
}

/** A source that ends before it ended last time has a fault, or is another one. */
function assertLater(reading: KeptReading["reading"], kept: KeptReading | undefined): void {
	if (reading.kind !== "series" || kept?.reading.kind !== "series") return;
	const [last] = reading.observations.at(-1) ?? [];
	const [known] = kept.reading.observations.at(-1) ?? [];
	if (last !== undefined && known !== undefined && last < known) {
		throw invalidReply(`It ends with ${last}, though it had ${known} before.`);
	}
}

/** Validators are sent back as they came; longer ones are not worth it. */
function headerOf(response: Response, name: string): string | undefined {
	const value = response.headers.get(name);
	return value !== null && value.length <= 200 ? value : undefined;
}

const DAY_MS = 86_400_000;
/** Feeds whose address asks for a first day get this many. */
const SPAN_DAYS = 200;

function toAddress(
	template: string,
	{ topic = "", nowMs }: { readonly topic: string | undefined; readonly nowMs: number },
): string {
	const since = new Date(nowMs - SPAN_DAYS * DAY_MS);
	const [year = "", month = "", day = ""] = since.toISOString().slice(0, 10).split("-");
	const name = since.toLocaleString("en-GB", { month: "short", timeZone: "UTC" }).slice(0, 3);
	return template
		.replaceAll("{since}", `${year}-${month}-${day}`)
		.replaceAll("{since_dmy}", `${day}/${name}/${year}`)
		.replaceAll("{q}", () => encodeURIComponent(topic));
}

/** Bounds requests to each host: never two within its interval, nor any while its Retry-After lasts. */
export function createHostPace(clock: Clock) {
	/** Monotonic moments, one for each host of the registry. */
	const free = new Map<string, number>();
	const holds = new Map<string, { readonly until: number; readonly waitMs: number }>();
	const isHeld = (host: string): boolean => {
		const { until = 0, waitMs = 0 } = holds.get(host) ?? {};
		const leftMs = until - clock.now();
		// A clock that was set back must not keep us away for longer.
		return leftMs > 0 && leftMs <= waitMs;
	};
	return {
		/** Pauses a host for as long as it asks for; never shorter than it asked for before. */
		hold(host: string, waitMs: number): void {
			const until = clock.now() + waitMs;
			const { until: untilNow = 0 } = holds.get(host) ?? {};
			if (!isHeld(host) || until > untilNow) holds.set(host, { until, waitMs });
		},
		isHeld,
		/** Waits for the next free moment at a host; false at once, and nothing reserved, when that takes longer than `patienceMs`. */
		async turn(
			host: string,
			{ intervalMs, patienceMs }: { readonly intervalMs: number; readonly patienceMs: number },
		): Promise<boolean> {
			const now = clock.monotonicMs();
			const moment = Math.max(now, free.get(host) ?? now);
			const waitMs = moment - now;
			if (waitMs > patienceMs) return false;
			free.set(host, moment + intervalMs);
			if (waitMs > 0) await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
			return true;
		},
	};
}
