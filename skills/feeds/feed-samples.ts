import { parse } from "csv-parse/sync";
import { type FeedSpec, isSeries } from "./feed-registry.js";

/** What sources answer, cut to a few rows, and how a reply of today differs from it in form. */

/** Three periods in a row, the newest last, as sources write those of each frequency. */
const PERIODS = {
	daily: ["2025-06-02", "2025-06-03", "2025-06-04"],
	weekly: ["2025-05-23", "2025-05-30", "2025-06-06"],
	monthly: ["2025-04", "2025-05", "2025-06"],
	quarterly: ["2024-Q4", "2025-Q1", "2025-Q2"],
	annual: ["2022", "2023", "2024"],
} as const;

/** A sample of feeds/samples as this feed's source answers: sources that answer alike share a file with `{series}` and `{period:0}` in it. */
export function fillSample(feed: FeedSpec, text: string): string {
	const named = text.replaceAll("{series}", feed.series ?? "");
	if (!isSeries(feed)) return named;
	const periods = PERIODS[feed.frequency];
	return named.replace(/\{period:([012])\}/g, (_, back) => periods[2 - Number(back)] ?? "");
}

export interface ShapeDifference {
	/** What the sample has and the reply lacks: columns, paths of JSON, elements of a news item. */
	readonly missing: readonly string[];
	/** What the reply has and the sample lacks; samples are cut short, so that this alone is no change. */
	readonly added: readonly string[];
}

/** How many records of a list are looked at: fields may be absent from some. */
const RECORDS = 20;
const NAMES_MAX = 40;

/** Compares what replies are made of, not what they say. A reply that cannot be taken apart lacks everything. */
export function compareShapes(feed: FeedSpec, sample: string, reply: string): ShapeDifference {
	const [known, found] = [shapeOf(feed, sample), shapeOf(feed, reply)];
	const without = (all: ReadonlySet<string>, those: ReadonlySet<string>) =>
		[...all].filter((name) => !those.has(name)).slice(0, NAMES_MAX);
	return { missing: without(known, found), added: without(found, known) };
}

function shapeOf(feed: FeedSpec, body: string): ReadonlySet<string> {
	try {
		switch (feed.connector) {
			case "csv":
				return columnsOf(body, feed.read);
			case "feed":
				return elementsOf(body);
			default:
				return pathsOf(JSON.parse(body));
		}
	} catch {
		return new Set();
	}
}

type CsvRead = Extract<FeedSpec, { readonly connector: "csv" }>["read"];

function columnsOf(body: string, { delimiter, comment, skip_lines }: CsvRead): ReadonlySet<string> {
	const [header = []] = parse(body, {
		bom: true,
		delimiter,
		from_line: skip_lines + 1,
		relax_column_count: true,
		skip_empty_lines: true,
		to: 1,
		trim: true,
		...(comment !== undefined && { comment, comment_no_infix: true }),
	}) as string[][];
	return new Set(header.map((name) => name.toLowerCase()));
}

/** The root, and what its first entry is made of. */
function elementsOf(body: string): ReadonlySet<string> {
	const root = /<(rss|feed|rdf:RDF)[\s>]/.exec(body)?.[1];
	const entry = /<(item|entry)[\s>]([\s\S]*?)<\/\1>/.exec(body)?.[2] ?? "";
	const names = [...entry.matchAll(/<([a-z][\w:.-]*)/gi)].map(([, name = ""]) => name);
	return new Set([...(root === undefined ? [] : [root]), ...names]);
}

/** Dotted paths; records of a list are one, and so are the entries of an object whose keys are periods. */
function pathsOf(value: unknown, path = ""): ReadonlySet<string> {
	if (Array.isArray(value)) {
		return new Set(value.slice(0, RECORDS).flatMap((one) => [...pathsOf(one, `${path}[]`)]));
	}
	if (typeof value !== "object" || value === null) return new Set(path === "" ? [] : [path]);
	return new Set(
		Object.entries(value).flatMap(([key, one]) => {
			const name = /^\d{1,4}(?:-|$)/.test(key) ? "*" : key;
			return [...pathsOf(one, path === "" ? name : `${path}.${name}`)];
		}),
	);
}
