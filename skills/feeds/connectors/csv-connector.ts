import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { FEED_LIMITS } from "../feed-limits.js";
import { type FeedReading, lie, quoted, type RawRow, toSeries } from "../feed-reading.js";
import type { CsvReading, FeedSpec } from "../feed-spec.js";

type CsvFeed = Extract<FeedSpec, { readonly connector: "csv" }>;

const CHUNK_CHARS = 65_536;

/**
 * Reads one column of a table by its name, in either case, of the rows whose other columns say what `where` says. Throws a
 * lie when a column is missing, which is how a renamed one is noticed.
 */
export async function readCsv(feed: CsvFeed, body: string, nowMs: number): Promise<FeedReading> {
	const { read } = feed;
	const rows: RawRow[] = [];
	let pick: ((record: readonly string[]) => RawRow | undefined) | undefined;
	let count = 0;
	for await (const record of recordsOf(body, read)) {
		count += 1;
		if (count > FEED_LIMITS.rowsRead) throw lie("Its table is too long.");
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
		throw lie(`It did not answer with CSV${isCsvError(cause) ? `: ${cause.code}` : ""}.`);
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
		throw lie(`Its table has no column ${quoted(name)}.`);
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
