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
import type { CsvReading, FeedSpec } from "./feed-registry.js";
import { readDocs, readJson, readJsonStat } from "./json-connectors.js";

const MARKUP = /^[\s\ufeff]*</;
const PAGE = /^[\s\ufeff]*<(?:!doctype\s+html|html|head|body)[\s>]/i;

/** What a reply says, read as its registry entry describes. Throws UPSTREAM (UPSTREAM) with the reason. */
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

type CsvFeed = Extract<FeedSpec, { readonly connector: "csv" }>;

const CHUNK_CHARS = 65_536;

/**
 * Reads one column of a table by its name, in either case, of the rows whose other columns say what `where` says. Throws a
 * UPSTREAM when a column is missing, which is how a renamed one is noticed.
 */
async function readCsv(feed: CsvFeed, body: string, nowMs: number): Promise<FeedReading> {
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
