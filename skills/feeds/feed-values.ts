import { createHash } from "node:crypto";
import { z } from "zod";
import { type Clock, memoize } from "../../src/kernel/kernel.js";
import type { IndexDisk } from "../../src/search/search.js";
import type { DocumentStore } from "../../store/store.js";
import { type FeedReading, type Observation, readingSchema, toSeries } from "./feed-reading.js";
import { type FeedRegistry, type FeedSpec, isSeries } from "./feed-registry.js";

const keptSchema = z.object({
	reading: readingSchema,
	/** When the source last confirmed it, in milliseconds since the epoch. */
	retrievedAt: z.number(),
	etag: z.string().optional(),
	lastModified: z.string().optional(),
	origin: z.literal("source"),
});

/** The last good value of a feed, and the validators of a conditional request for the next one. */
export type KeptReading = Readonly<Omit<z.infer<typeof keptSchema>, "origin">> & {
	readonly origin: "source" | "bundle";
};

/** Last good values; they may be lost, which costs a request to their source. */
export interface FeedCache {
	/** Whether other processes write it, too: what was read is soon old. */
	readonly isShared: boolean;
	/** Undefined when there is none, or it is not whole. */
	read(feedId: string): Promise<KeptReading | undefined>;
	write(feedId: string, kept: KeptReading): Promise<void>;
}

/** One file for each feed. */
export function createFeedCache(disk: () => Promise<IndexDisk>): FeedCache {
	const open = memoize(disk);
	return {
		isShared: false,
		async read(feedId) {
			const bytes = await (await open()).read(fileOf(feedId));
			return bytes && decode(Buffer.from(bytes).toString("utf8"));
		},
		/** The file holds the new value or the old one, whenever the power fails. */
		async write(feedId, kept) {
			const folder = await open();
			const name = fileOf(feedId);
			const bytes = Buffer.from(encode(kept), "utf8");
			await folder.write(`${name}.new`, once(bytes));
			await folder.rename(`${name}.new`, name);
		},
	};
}

const KEPT_MS = 400 * 86_400_000;

/**
 * One document for each feed, for all processes of a store: what one of them asked its source, none of the others does. Until
 * there is one, what is in the process's own folder counts.
 */
export function createSharedFeedCache({
	documents,
	clock,
	own,
}: {
	readonly documents: Pick<DocumentStore, "get" | "put">;
	readonly clock: Pick<Clock, "now">;
	readonly own: Pick<FeedCache, "read">;
}): FeedCache {
	const documentOf = (feedId: string) => `feed_${digestOf(feedId)}`;
	return {
		isShared: true,
		async read(feedId) {
			const text = await documents.get(documentOf(feedId));
			return text === undefined ? own.read(feedId) : decode(text);
		},
		write: (feedId, kept) => documents.put(documentOf(feedId), encode(kept), clock.now() + KEPT_MS),
	};
}

/** Ids hold nothing else that a file name could not. */
function fileOf(feedId: string): string {
	return `${feedId.replace(":", "+")}.json`;
}

/** The first line is the digest of the second. */
function encode(kept: KeptReading): string {
	const text = JSON.stringify(kept);
	return `${digestOf(text)}\n${text}\n`;
}

function decode(file: string): KeptReading | undefined {
	const [digest, text = ""] = file.split("\n");
	return digest === digestOf(text) ? keptSchema.safeParse(JSON.parse(text)).data : undefined;
}

function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
	yield bytes;
}

export interface LastValuesOptions {
	readonly cache: FeedCache;
	/** Called when a value could not be read or written. */
	readonly report: (problem: string) => void;
}

/** Last good values, in memory once they were asked for, unless other processes renew them; a value is never replaced by none. */
export function createLastValues(bundle: FeedBundle, { cache, report }: LastValuesOptions) {
	const known = new Map<string, Promise<KeptReading | undefined>>();
	const load = async (feed: FeedSpec): Promise<KeptReading | undefined> => {
		const read = await cache.read(feed.id).catch(() => {
			report(`The last value of the feed ${feed.id} could not be read.`);
			return undefined;
		});
		const reading = bundle.readings.get(feed.id);
		const bundled = reading && {
			reading,
			retrievedAt: bundle.bundledAt,
			origin: "bundle" as const,
		};
		// The registry may have changed since a value was kept.
		const isOfKind = read?.reading.kind === (isSeries(feed) ? "series" : "items");
		return laterOf(isOfKind ? read : undefined, bundled);
	};
	return {
		get(feed: FeedSpec): Promise<KeptReading | undefined> {
			const found = (!cache.isShared && known.get(feed.id)) || load(feed);
			known.set(feed.id, found);
			return found;
		},
		/** Resolves when it is on the disk, or the disk has failed. */
		async put(feed: FeedSpec, kept: KeptReading): Promise<void> {
			known.set(feed.id, Promise.resolve(kept));
			await cache.write(feed.id, kept).catch(() => {
				report(`The value of the feed ${feed.id} could not be kept.`);
			});
		},
	};
}

/** The one that ends later; that of the source where they end together. */
function laterOf(kept: KeptReading | undefined, bundled: KeptReading | undefined) {
	const endOf = ({ reading }: KeptReading): string =>
		reading.kind === "series" ? (reading.observations.at(-1)?.[0] ?? "") : "";
	if (!kept || !bundled) return kept ?? bundled;
	return endOf(kept) < endOf(bundled) ? bundled : kept;
}

/** Observations that come with the software, for feeds that are not fetched. */
export interface FeedBundle {
	/** In milliseconds since the epoch. */
	readonly bundledAt: number;
	readonly readings: ReadonlyMap<string, FeedReading>;
}

const HEADER = "feed_id,period,value";

/**
 * Reads feeds/observations/*.csv: plain lines of feed, period and value. Throws when a line is no observation of a series in
 * the registry, as they are our own.
 */
export function readBundle(
	files: readonly string[],
	registry: FeedRegistry,
	bundledAt: number,
): FeedBundle {
	const rows = new Map<string, Observation[]>();
	for (const file of files) {
		const [header, ...lines] = file.trimEnd().split("\n");
		if (header !== HEADER) throw new Error(`A file of observations must begin with ${HEADER}.`);
		for (const line of lines) {
			const [id = "", period = "", value = ""] = line.split(",");
			const known = rows.get(id);
			if (known) known.push([period, value]);
			else rows.set(id, [[period, value]]);
		}
	}
	const readings = [...rows].map(([id, observations]) => {
		const feed = registry.get(id);
		if (!feed || !isSeries(feed)) throw new Error(`No series is called "${id}".`);
		// Its figures are in the unit already.
		const rules = { feed: { ...feed, shift: 0 }, nowMs: bundledAt };
		return [id, toSeries(observations, rules)] as const;
	});
	return { bundledAt, readings: new Map(readings) };
}
