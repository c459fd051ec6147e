import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { FEED_LIMITS } from "./feed-limits.js";
import {
	type FeedReading,
	invalidReply,
	quoted,
	type RawItem,
	type RawRow,
	toItems,
	toSeries,
} from "./feed-reading.js";
import type { CsvReading, DocsReading, FeedSpec, JsonReading } from "./feed-registry.js";

const MARKUP = /^[\s\ufeff]*</;
const PAGE = /^[\s\ufeff]*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** What a reply says, read as its registry entry describes. Throws UPSTREAM with the reason. */
export async function readReply(feed: FeedSpec, body: string, nowMs: number): Promise<FeedReading> {
	if (PAGE.test(body) || (feed.connector !== "feed" && MARKUP.test(body))) {
		throw invalidReply(`It answered with a page, not with ${NAMES[feed.connector]}.`);
	}
	switch (feed.connector) {
		case "csv":
			return readCsv(feed, body, nowMs);
		case "json":
			return readJson(feed, body, nowMs);
		case "json-stat":
			return readJsonStat(feed, body, nowMs);
		case "feed":
			return readNews(body, nowMs);
		case "docs":
			return readDocs(feed, body, nowMs);
	}
}

const NAMES = {
	csv: "CSV",
	json: "JSON",
	"json-stat": "JSON-stat",
	feed: "RSS or Atom",
	docs: "JSON",
} as const;

type FeedBy<Connector> = Extract<FeedSpec, { readonly connector: Connector }>;

const CHUNK_CHARS = 65_536;

/**
 * Reads one column of a table by its name, in either case, of the rows whose other columns say what `where` says. Throws
 * UPSTREAM when a column is missing, which is how a renamed one is noticed.
 */
async function readCsv(feed: FeedBy<"csv">, body: string, nowMs: number): Promise<FeedReading> {
	const { read } = feed;
	const rows: RawRow[] = [];
	let pick: ((record: readonly string[]) => RawRow | undefined) | undefined;
	let count = 0;
	for await (const record of recordsOf(body, read)) {
		count += 1;
		if (count > FEED_LIMITS.rowsRead) throw invalidReply("Its table is too long.");
		if (!pick) {
			pick = createPick(record, read);
			continue;
		}
		const row = pick(record);
		if (row) rows.push(row);
	}
	return toSeries(rows, { feed, missing: read.missing, dates: read.dates, nowMs });
}

/** Records in turns: a table of two megabytes must not hold up other calls. */
async function* recordsOf(body: string, { delimiter, comment, skip_lines }: CsvReading) {
	const parser = parse({
		bom: true,
		delimiter,
		from_line: skip_lines + 1,
		relax_column_count: true,
		skip_empty_lines: true,
		trim: true,
		...(comment !== undefined && { comment, comment_no_infix: true }),
	});
	try {
		const source = Readable.from(chunksOf(body));
		source.on("error", (error) => parser.destroy(error));
		for await (const record of source.pipe(parser)) yield record as readonly string[];
	} catch (cause) {
		throw invalidReply(`It did not answer with CSV${isCsvError(cause) ? `: ${cause.code}` : ""}.`);
	}
}

function isCsvError(error: unknown): error is { readonly code: string } {
	return error instanceof Error && "code" in error && String(error.code).startsWith("CSV_");
}

function* chunksOf(body: string): Generator<string> {
	for (let at = 0; at < body.length; at += CHUNK_CHARS) yield body.slice(at, at + CHUNK_CHARS);
}

function createPick(header: readonly string[], { period, value, where }: CsvReading) {
	const names = header.map((name) => name.toLowerCase());
	const placeOf = (name: string): number => {
		const place = names.indexOf(name.toLowerCase());
		if (place >= 0) return place;
		throw invalidReply(`Its table has no column ${quoted(name)}.`);
	};
	const periods = [period].flat().map(placeOf);
	const values = placeOf(value);
	const conditions = Object.entries(where).map(
		([name, wanted]) => [placeOf(name), wanted] as const,
	);
	return (record: readonly string[]): RawRow | undefined => {
		if (conditions.some(([place, wanted]) => record[place] !== wanted)) return undefined;
		return [periods.map((place) => record[place] ?? "").join("-"), record[values]];
	};
}

/** Reads RSS, RDF and Atom. Documents that define entities of their own are refused: they grow when they are read. */
async function readNews(body: string, nowMs: number): Promise<FeedReading> {
	if (/<!ENTITY/i.test(body))
		throw invalidReply("It defines entities of its own, which are not read.");
	const { parseFeed } = await import("feedsmith");
	let parsed: ReturnType<typeof parseFeed>;
	try {
		parsed = parseFeed(body);
	} catch {
		throw invalidReply("It did not answer with RSS or Atom.");
	}
	return toItems(rawItems(parsed), nowMs);
}

type Parsed = ReturnType<typeof import("feedsmith").parseFeed>;

function rawItems(parsed: Parsed): readonly RawItem[] {
	switch (parsed.format) {
		case "atom":
			return (parsed.feed.entries ?? []).map((entry) => ({
				title: entry.title?.value,
				url: (entry.links?.find(({ rel = "alternate" }) => rel === "alternate") ?? entry.links?.[0])
					?.href,
				date: entry.published ?? entry.updated,
				summary: entry.summary?.value ?? entry.content?.value,
			}));
		case "rss":
			return (parsed.feed.items ?? []).map((item) => ({
				title: item.title,
				url: item.link ?? item.guid?.value,
				date: item.pubDate ?? item.dc?.dates?.[0],
				summary: item.description,
			}));
		case "rdf":
			return (parsed.feed.items ?? []).map((item) => ({
				title: item.title,
				url: item.link,
				date: item.dc?.dates?.[0],
				summary: item.description,
			}));
		default:
			throw invalidReply("It did not answer with RSS or Atom.");
	}
}

/** JSON in which every number is the text that stood there: digits are shown as they were published. */
type ExactJson =
	| string
	| boolean
	| null
	| readonly ExactJson[]
	| { readonly [key: string]: ExactJson };

const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Throws UPSTREAM for what is no JSON. */
function readExactJson(text: string): ExactJson {
	try {
		// Only what is JSON already is rewritten: there, every quote has its partner.
		JSON.parse(text);
		const exact = text.replace(STRING_OR_NUMBER, (token) =>
			token.startsWith('"') ? token : `"${token}"`,
		);
		return JSON.parse(exact) as ExactJson;
	} catch {
		throw invalidReply("It did not answer with JSON.");
	}
}

/** What stands at a dotted path (`series.docs.0.period`); the whole for an empty one, undefined when nothing does. */
function atPath(value: ExactJson | undefined, path: string): ExactJson | undefined {
	if (path === "") return value;
	let found: ExactJson | undefined = value;
	for (const key of path.split(".")) {
		if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
		found = (found as { readonly [key: string]: ExactJson })[key];
	}
	return found;
}

/** The list at a path. Throws UPSTREAM when there is none. */
function listAt(value: ExactJson, path: string): readonly ExactJson[] {
	const found = atPath(value, path);
	if (Array.isArray(found)) return found as readonly ExactJson[];
	throw invalidReply(`It has no list at ${path === "" ? "its top" : `"${path}"`}.`);
}

/** The fields of the object at a path. Throws UPSTREAM when there is none. */
function entriesAt(value: ExactJson, path: string): readonly (readonly [string, ExactJson])[] {
	const found = atPath(value, path);
	if (typeof found === "object" && found !== null && !Array.isArray(found)) {
		return Object.entries(found);
	}
	throw invalidReply(`It has no object at "${path}".`);
}

/** Reads observations at paths of a JSON reply: a list of records, two lists side by side, or periods to values. */
function readJson(feed: FeedBy<"json">, body: string, nowMs: number): FeedReading {
	const { read } = feed;
	const rows = rowsOf(readExactJson(body), read);
	if (rows.length > FEED_LIMITS.rowsRead) throw invalidReply("Its list is too long.");
	const dates = "dates" in read ? read.dates : undefined;
	return toSeries(rows, { feed, missing: read.missing, dates, nowMs });
}

function rowsOf(json: ExactJson, read: JsonReading): readonly RawRow[] {
	if ("periods" in read) {
		const [periods, values] = [listAt(json, read.periods), listAt(json, read.values)];
		if (periods.length !== values.length)
			throw invalidReply("It has more periods than values, or fewer.");
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

/**
 * Reads a JSON-stat 2.0 data set (https://json-stat.org/full/) whose only dimension of more than one category is time.
 * Throws UPSTREAM when another has several: which of them is meant would be a guess.
 */
function readJsonStat(feed: FeedBy<"json-stat">, body: string, nowMs: number): FeedReading {
	const json = readExactJson(body);
	if (atPath(json, "class") !== "dataset")
		throw invalidReply("It did not answer with a JSON-stat data set.");
	const ids = listAt(json, "id").map(String);
	const sizes = listAt(json, "size").map(Number);
	const named = atPath(json, "role.time.0") ?? "time";
	const time = ids.find((id) => id === named);
	if (time === undefined || sizes.length !== ids.length)
		throw invalidReply("It has no dimension of time.");
	const wide = ids.find((id, place) => id !== time && sizes[place] !== 1);
	if (wide !== undefined) throw invalidReply(`It has several categories of ${quoted(wide)}.`);
	return toSeries(statRowsOf(json, periodsOf(json, time)), { feed, missing: [":"], nowMs });
}

/** Periods in the order of their values; the index is a list of codes, or codes to places. */
function periodsOf(json: ExactJson, time: string): readonly string[] {
	const index = atPath(atPath(atPath(json, "dimension"), time), "category.index");
	if (Array.isArray(index)) return index.map(String);
	if (typeof index !== "object" || index === null)
		throw invalidReply("Its time has no categories.");
	const places = Object.entries(index);
	if (places.length > FEED_LIMITS.rowsRead) throw invalidReply("Its list is too long.");
	const periods: string[] = [];
	for (const [code, place] of places) {
		const at = Number(place);
		if (!Number.isInteger(at) || at < 0 || at >= places.length)
			throw invalidReply("Its time is out of order.");
		periods[at] = code;
	}
	return periods;
}

/** Values are a list, or places to values where some are missing. */
function statRowsOf(json: ExactJson, periods: readonly string[]): readonly RawRow[] {
	const values = atPath(json, "value");
	const entries = Array.isArray(values)
		? values.map((value, place) => [String(place), value] as const)
		: entriesAt(json, "value");
	return entries.map(([place, value]) => {
		const period = periods[Number(place)];
		if (period === undefined) throw invalidReply("It has a value outside its dimensions.");
		return [period, value];
	});
}

/** Reads titles and links from the JSON of a search or a list of records. */
function readDocs({ read }: FeedBy<"docs">, body: string, nowMs: number): FeedReading {
	const records = listAt(readExactJson(body), read.items);
	return toItems(
		records.map((record) => ({
			title: atPath(record, read.title),
			url: linkOf(record, read),
			date: read.date === undefined ? undefined : atPath(record, read.date),
			summary: read.summary === undefined ? undefined : atPath(record, read.summary),
		})),
		nowMs,
	);
}

function linkOf(record: ExactJson, { link, link_to, fallback_link }: DocsReading): unknown {
	const found = link === undefined ? undefined : atPath(record, link);
	if (found) return found;
	const template = link_to ?? fallback_link;
	return template === undefined ? undefined : fillPath(template, record);
}

/** Fields of a record in an address, each escaped; undefined when one is missing. */
function fillPath(template: string, record: ExactJson): string | undefined {
	let isWhole = true;
	const filled = template.replace(/\{([^{}]+)\}/g, (_, path: string) => {
		const value = atPath(record, path);
		if (typeof value !== "string" || value === "") isWhole = false;
		return encodeURIComponent(String(value));
	});
	return isWhole ? filled : undefined;
}
