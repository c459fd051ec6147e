import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
	createFeedCache,
	createFeedFetcher,
	createFeeds,
	FEED_LIMITS,
	type FeedFetcher,
	type Feeds,
	readBundle,
	readRegistry,
} from "../../skills/feeds/feeds.js";
import { createConfiguredEgress } from "../delivery/delivery.js";
import {
	type Clock,
	type Logger,
	memoize,
	PACKAGE_ROOT,
	SOFTWARE_VERSION,
} from "../kernel/kernel.js";
import type { IndexDisk } from "../search/search.js";

/** The day the bundled observations were taken from their sources. */
const BUNDLED_AT = Date.UTC(2026, 10, 22);

const FEEDS_FOLDER = join(PACKAGE_ROOT, "feeds");

export interface FeedPorts {
	/** `bundled` where absent: then no source is ever asked. */
	readonly feeds?: "bundled" | "live" | undefined;
	/** Where last values are kept. */
	readonly feedDisk: () => Promise<IndexDisk>;
	/** Who runs this server, told to sources that want to know. */
	readonly contact?: string | undefined;
	readonly clock: Clock;
	readonly logger: Logger;
}

/** The feeds of the registry that comes with the software; nothing is read before somebody asks. */
export function openFeeds({ feeds, feedDisk, contact, clock, logger }: FeedPorts): Feeds {
	const registry = memoize(async () =>
		readRegistry(await readFile(join(FEEDS_FOLDER, "registry.json"), "utf8")),
	);
	const fetcher = async (): Promise<FeedFetcher> => {
		const urls = [...(await registry()).values()].map(({ url }) => url);
		const egress = createConfiguredEgress({ urls, replyBytesMax: FEED_LIMITS.replyBytes });
		const userAgent = `tollgraph/${SOFTWARE_VERSION}${contact === undefined ? "" : ` (${contact})`}`;
		return createFeedFetcher({ egress, clock, userAgent });
	};
	const opened = memoize(fetcher);
	return createFeeds({
		registry,
		bundle: async () => readBundle(await readObservations(), await registry(), BUNDLED_AT),
		cache: createFeedCache(feedDisk),
		fetch: feeds === "live" ? async (feed, asked) => (await opened())(feed, asked) : undefined,
		clock,
		report: (problem) => logger.error(problem),
	});
}

async function readObservations(): Promise<readonly string[]> {
	const folder = join(FEEDS_FOLDER, "observations");
	const names = (await readdir(folder)).filter((name) => name.endsWith(".csv")).sort();
	return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
}
