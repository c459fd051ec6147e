import { FEED_LIMITS } from "../feed-limits.js";
import { type FeedReading, lie, quoted, type RawRow, toSeries } from "../feed-reading.js";
import type { FeedSpec } from "../feed-spec.js";
import { atPath, type ExactJson, entriesAt, listAt, readExactJson } from "./exact-json.js";

type StatFeed = Extract<FeedSpec, { readonly connector: "json-stat" }>;

/**
 * Reads a JSON-stat 2.0 data set (https://json-stat.org/full/) whose only dimension of more than one category is time.
 * Throws a lie when another has several: which of them is meant would be a guess.
 */
export function readJsonStat(feed: StatFeed, body: string, nowMs: number): FeedReading {
	const json = readExactJson(body);
	if (atPath(json, "class") !== "dataset")
		throw lie("It did not answer with a JSON-stat data set.");
	const ids = listAt(json, "id").map(String);
	const sizes = listAt(json, "size").map(Number);
	const time = ids.find((id) => id === timeOf(json));
	if (time === undefined || sizes.length !== ids.length) throw lie("It has no dimension of time.");
	const wide = ids.find((id, place) => id !== time && sizes[place] !== 1);
	if (wide !== undefined) throw lie(`It has several categories of ${quoted(wide)}.`);
	return toSeries(rowsOf(json, periodsOf(json, time)), { feed, missing: [":"], nowMs });
}

function timeOf(json: ExactJson): ExactJson {
	return atPath(json, "role.time.0") ?? "time";
}

/** Periods in the order of their values; the index is a list of codes, or codes to places. */
function periodsOf(json: ExactJson, time: string): readonly string[] {
	const index = atPath(atPath(atPath(json, "dimension"), time), "category.index");
	if (Array.isArray(index)) return index.map(String);
	if (typeof index !== "object" || index === null) throw lie("Its time has no categories.");
	const places = Object.entries(index);
	if (places.length > FEED_LIMITS.rowsRead) throw lie("Its list is too long.");
	const periods: string[] = [];
	for (const [code, place] of places) {
		const at = Number(place);
		if (!Number.isInteger(at) || at < 0 || at >= places.length)
			throw lie("Its time is out of order.");
		periods[at] = code;
	}
	return periods;
}

/** Values are a list, or places to values where some are missing. */
function rowsOf(json: ExactJson, periods: readonly string[]): readonly RawRow[] {
	const values = atPath(json, "value");
	const entries = Array.isArray(values)
		? values.map((value, place) => [String(place), value] as const)
		: entriesAt(json, "value");
	return entries.map(([place, value]) => {
		const period = periods[Number(place)];
		if (period === undefined) throw lie("It has a value outside its dimensions.");
		return [period, value];
	});
}
