import type { FeedBundle } from "./bundled-observations.js";
import type { FeedCache, KeptReading } from "./feed-cache.js";
import type { FeedReading } from "./feed-reading.js";
import { type FeedSpec, isSeries } from "./feed-spec.js";

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
