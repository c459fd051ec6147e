import { FEED_LIMITS } from "../feed-limits.js";
import { type FeedReading, lie, type RawRow, toSeries } from "../feed-reading.js";
import type { FeedSpec, JsonReading } from "../feed-spec.js";
import { atPath, type ExactJson, entriesAt, listAt, readExactJson } from "./exact-json.js";

type JsonFeed = Extract<FeedSpec, { readonly connector: "json" }>;

/** Reads observations at paths of a JSON reply: a list of records, two lists side by side, or periods to values. */
export function readJson(feed: JsonFeed, body: string, nowMs: number): FeedReading {
	const { read } = feed;
	const rows = rowsOf(readExactJson(body), read);
	if (rows.length > FEED_LIMITS.rowsRead) throw lie("Its list is too long.");
	const dates = "dates" in read ? read.dates : undefined;
	return toSeries(rows, { feed, missing: read.missing, dates, nowMs });
}

function rowsOf(json: ExactJson, read: JsonReading): readonly RawRow[] {
	if ("periods" in read) {
		const [periods, values] = [listAt(json, read.periods), listAt(json, read.values)];
		if (periods.length !== values.length) throw lie("It has more periods than values, or fewer.");
		return periods.map((period, place) => [toText(period), toValue(values[place])]);
	}
	if ("entries" in read) {
		const { value = "" } = read;
		return entriesAt(json, read.entries).map(([period, entry]) => [
			period,
			toValue(atPath(entry, value)),
		]);
	}
	const { period, value, where } = read;
	const records = listAt(json, read.rows).filter((record) =>
		Object.entries(where).every(([path, wanted]) => atPath(record, path) === wanted),
	);
	return records.map((record) => [
		[period]
			.flat()
			.map((path) => toText(atPath(record, path)))
			.join("-"),
		toValue(atPath(record, value)),
	]);
}

function toText(value: ExactJson | undefined): string {
	return typeof value === "string" ? value : "";
}

/** Lists and objects are no numbers: they are shown for what they are, and refused. */
function toValue(value: ExactJson | undefined): unknown {
	return typeof value === "object" && value !== null ? "an object" : value;
}
