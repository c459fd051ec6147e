import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";
import { createFeedFetcher } from "../../skills/feeds/feed-fetcher.js";
import { FEED_LIMITS } from "../../skills/feeds/feed-limits.js";
import { type FeedSpec, readRegistry, toRegistry } from "../../skills/feeds/feed-registry.js";
import { createFeeds } from "../../skills/feeds/feed-service.js";
import {
	createFeedCache,
	type FeedBundle,
	type FeedCache,
} from "../../skills/feeds/feed-values.js";
import { createConfiguredEgress } from "../../src/delivery/configured-egress.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import type { IndexDisk } from "../../src/search/index/index-folder.js";
import { createMemoryDisk } from "../search/memory-disk.js";

/** The registry that comes with the software. */
export const REGISTRY = readRegistry(
	readFileSync(join(PACKAGE_ROOT, "feeds/registry.json"), "utf8"),
);

export const NOON = "2026-11-22T12:00:00Z";

/** What a series of the registry may answer at noon, and the question to it. */
export const GOOD = "observation_date,MCOILBRENTEU\n2026-06-01,85.40\n2026-07-01,83.76\n";
export const BRENT = { feedIds: ["eia:brent"], limit: 5 };

export interface FeedSource {
	readonly origin: string;
	readonly requests: IncomingMessage[];
	answer: RequestListener;
}

/** A source on loopback that answers as it is set to. */
export async function startSource(t: Test, answer: RequestListener): Promise<FeedSource> {
	const server = createServer((request, response) => {
		source.requests.push(request);
		source.answer(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	const source: FeedSource = { origin: `http://127.0.0.1:${port}`, requests: [], answer };
	return source;
}

/** A feed of the registry that is fetched from a source on loopback instead of its own. */
export function feedAt(origin: string, id: string, changes: Partial<FeedSpec> = {}): FeedSpec {
	const feed = REGISTRY.get(id);
	if (!feed) throw new Error(`No feed is called ${id}.`);
	const { pathname, search } = new URL(feed.url);
	const url = `${origin}${decodeURI(pathname)}${decodeURI(search)}`;
	return { ...feed, intervalMs: 1, url, ...changes } as FeedSpec;
}

/** Feeds that are fetched, over a disk and a clock that tests bring. */
export function openTestFeeds(
	feeds: readonly FeedSpec[],
	{
		disk = createMemoryDisk(),
		clock = systemClock,
		bundle = { bundledAt: 0, readings: new Map() },
		cache = createFeedCache(async () => disk),
	}: {
		readonly disk?: IndexDisk;
		readonly clock?: Clock;
		readonly bundle?: FeedBundle;
		readonly cache?: FeedCache;
	} = {},
) {
	const problems: string[] = [];
	const egress = createConfiguredEgress({
		urls: feeds.map(({ url }) => url),
		replyBytesMax: FEED_LIMITS.replyBytes,
	});
	const opened = createFeeds({
		registry: async () => toRegistry(feeds),
		bundle: async () => bundle,
		sample: (name) => readFile(join(PACKAGE_ROOT, "feeds/samples", name), "utf8"),
		cache,
		fetch: createFeedFetcher({ egress, clock, userAgent: "tollgraph-test" }),
		clock,
		report: (problem) => problems.push(problem),
	});
	return { feeds: opened, disk, problems };
}

export const asText =
	(body: string, headers: Readonly<Record<string, string>> = {}): RequestListener =>
	(_request, response) => {
		response.writeHead(200, headers);
		response.end(body);
	};
