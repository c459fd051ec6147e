import { createHash } from "node:crypto";
import { z } from "zod";
import type { IndexDisk } from "../../src/search/search.js";
import { type FeedReading, type Observation, toSeries } from "./feed-reading.js";
import { type FeedRegistry, type FeedSpec, isSeries } from "./feed-registry.js";

/** The last good value of a feed, and what its server wants to hear when it is asked again. */
export interface KeptReading {
	readonly reading: FeedReading;
	/** When the source last said so, in milliseconds since the epoch. */
	readonly retrievedAt: number;
	readonly etag?: string | undefined;
	readonly lastModified?: string | undefined;
	/** Told by a source, or part of the software. */
	readonly origin: "source" | "bundle";
}

/** Last good values, one file for each feed. */
export interface FeedCache {
	/** Undefined when there is none, or the file is not whole. */
	read(feedId: string): Promise<KeptReading | undefined>;
	/** The file holds the new value or the old one, whenever the power fails. */
	write(feedId: string, kept: KeptReading): Promise<void>;
}

const fileSchema = z.object({
	reading: z.discriminatedUnion("kind", [
		z.object({
			kind: z.literal("series"),
			observations: z.array(z.tuple([z.string(), z.string()])).min(1),
		}),
		z.object({
			kind: z.literal("items"),
			items: z.array(
				z.object({
					title: z.string(),
					url: z.string(),
					publishedAt: z.string().nullable(),
					summary: z.string().nullable(),
				}),
			),
		}),
	]),
	retrievedAt: z.number(),
	etag: z.string().optional(),
	lastModified: z.string().optional(),
	origin: z.literal("source"),
});

/** Keeps them in a folder; the disk may fail, which loses values and nothing else. */
export function createFeedCache(disk: () => Promise<IndexDisk>): FeedCache {
	let opened: Promise<IndexDisk> | undefined;
	const open = () => {
		opened ??= disk();
		return opened;
	};
	return {
		async read(feedId) {
			const bytes = await (await open()).read(fileOf(feedId));
			return bytes && decode(Buffer.from(bytes).toString("utf8"));
		},
		async write(feedId, kept) {
			const folder = await open();
			const name = fileOf(feedId);
			await folder.write(`${name}.new`, once(Buffer.from(encode(kept), "utf8")));
			await folder.rename(`${name}.new`, name);
		},
	};
}

/** Ids hold nothing else that a file name could not. */
function fileOf(feedId: string): string {
	return `${feedId.replace(":", "+")}.json`;
}

/** The first line tells whether the second is whole. */
function encode(kept: KeptReading): string {
	const text = JSON.stringify(kept);
	return `${digestOf(text)}\n${text}\n`;
}

function decode(file: string): KeptReading | undefined {
	const [digest, text = ""] = file.split("\n");
	if (digest !== digestOf(text)) return undefined;
	const parsed = fileSchema.safeParse(JSON.parse(text));
	return parsed.success ? parsed.data : undefined;
}

function digestOf(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
	yield bytes;
}

/** Last good values, in memory once they were asked for; a value is never replaced by none. */
export interface LastValues {
	get(feed: FeedSpec): Promise<KeptReading | undefined>;
	/** Resolves when it is on the disk, or the disk has failed. */
	put(feed: FeedSpec, kept: KeptReading): Promise<void>;
}

export interface LastValuesDeps {
	readonly bundle: FeedBundle;
	readonly cache: FeedCache;
	/** Told when a value could not be read or kept. */
	readonly report: (problem: string) => void;
}

export function createLastValues({ bundle, cache, report }: LastValuesDeps): LastValues {
	const known = new Map<string, Promise<KeptReading | undefined>>();
	const load = async (feed: FeedSpec): Promise<KeptReading | undefined> => {
		const read = await cache.read(feed.id).catch(() => {
			report(`The last value of the feed ${feed.id} could not be read.`);
			return undefined;
		});
		return laterOf(isOfKind(read, feed) ? read : undefined, bundledOf(bundle, feed));
	};
	return {
		get(feed) {
			const found = known.get(feed.id) ?? load(feed);
			known.set(feed.id, found);
			return found;
		},
		async put(feed, kept) {
			known.set(feed.id, Promise.resolve(kept));
			await cache.write(feed.id, kept).catch(() => {
				report(`The value of the feed ${feed.id} could not be kept.`);
			});
		},
	};
}

function bundledOf({ readings, bundledAt }: FeedBundle, { id }: FeedSpec): KeptReading | undefined {
	const reading = readings.get(id);
	return reading && { reading, retrievedAt: bundledAt, origin: "bundle" };
}

/** The registry may have changed since a value was kept. */
function isOfKind(kept: KeptReading | undefined, feed: FeedSpec): boolean {
	return kept?.reading.kind === (isSeries(feed) ? "series" : "items");
}

/** What ends later; what a source said where they end together. */
function laterOf(
	kept: KeptReading | undefined,
	bundled: KeptReading | undefined,
): KeptReading | undefined {
	if (!kept || !bundled) return kept ?? bundled;
	return endOf(kept.reading) < endOf(bundled.reading) ? bundled : kept;
}

function endOf(reading: FeedReading): string {
	return reading.kind === "series" ? (reading.observations.at(-1)?.[0] ?? "") : "";
}

/** Observations that come with the software, for feeds that are not fetched. */
export interface FeedBundle {
	/** When they were put together, in milliseconds since the epoch. */
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
