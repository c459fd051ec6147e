import { type FeedReading, type Observation, toSeries } from "./feed-reading.js";
import type { FeedRegistry } from "./feed-registry.js";
import { isSeries } from "./feed-spec.js";

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
