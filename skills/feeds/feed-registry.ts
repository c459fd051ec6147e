import { z } from "zod";
import { FEED_LIMITS } from "./feed-limits.js";
import { FREQUENCIES, feedIdField } from "./feed-wire.js";

const fileSchema = z.strictObject({
	sources: z.array(z.looseObject({ feeds: z.array(z.looseObject({ id: z.string() })).min(1) })),
});

/** Every feed there is, by its id. */
export type FeedRegistry = ReadonlyMap<string, FeedSpec>;

/**
 * Reads feeds/registry.json: what a source says holds for its feeds, unless they say otherwise. Throws when a feed lacks
 * something, has an address that is not https, or the id of another one.
 */
export function readRegistry(text: string): FeedRegistry {
	const { sources } = fileSchema.parse(JSON.parse(text));
	const feeds = sources.flatMap(({ feeds: own, ...shared }) =>
		own.map((feed) => toFeedSpec({ ...shared, ...feed })),
	);
	for (const { id, url } of feeds) {
		if (new URL(url).protocol !== "https:") throw new Error(`The feed "${id}" is not on https.`);
	}
	return toRegistry(feeds);
}

/** Throws when two have one id. */
export function toRegistry(feeds: readonly FeedSpec[]): FeedRegistry {
	const registry = new Map(feeds.map((feed) => [feed.id, feed]));
	if (registry.size === feeds.length) return registry;
	const twice = feeds.find((feed) => registry.get(feed.id) !== feed);
	throw new Error(`Two feeds are called "${twice?.id}".`);
}

export type Frequency = (typeof FREQUENCIES)[number];

const text = z.string().trim().min(1);
const fields = z.union([text, z.array(text).min(1)]);
const missing = z.array(z.string()).default([]);
/** How days are written that are not year first. */
const dates = z.enum(["dmy", "mdy"]).optional();

const csvReading = z.strictObject({
	period: fields,
	value: text,
	where: z.record(z.string(), z.string()).default({}),
	delimiter: z.string().length(1).default(","),
	comment: z.string().length(1).optional(),
	skip_lines: z.int().nonnegative().default(0),
	missing,
	dates,
});
const rowsReading = z.strictObject({
	/** Path of a list of records. */
	rows: z.string(),
	period: fields,
	value: text,
	where: z.record(z.string(), z.string()).default({}),
	missing,
	dates,
});
/** Two lists side by side. */
const listsReading = z.strictObject({ periods: text, values: text, missing });
/** One object, periods to values; `value` is a path below each. */
const entriesReading = z.strictObject({ entries: text, value: text.optional(), missing });
const statReading = z.strictObject({}).default({});
const docsReading = z.strictObject({
	items: z.string(),
	title: text,
	link: text.optional(),
	/** Address made of a record's fields, for records without one. */
	link_to: text.optional(),
	/** The same, where `link` is there but empty. */
	fallback_link: text.optional(),
	date: text.optional(),
	summary: text.optional(),
});
const jsonReading = z.union([rowsReading, listsReading, entriesReading]);

export type CsvReading = z.infer<typeof csvReading>;
export type JsonReading = z.infer<typeof jsonReading>;
export type DocsReading = z.infer<typeof docsReading>;

const about = {
	id: feedIdField,
	provider: text,
	title: text,
	topics: z.array(text).min(1),
	/** Address with `{q}`, `{since}` and `{since_dmy}`; its host is the only one that is asked. */
	url: text,
	/** Where people read about it. */
	page: z.url(),
	licence: text,
	terms: z.url(),
	/** The file of feeds/samples that shows what its source answers. */
	sample: z.string().regex(/^[a-z0-9-]+\.(?:csv|json|xml)$/),
	/** What its source calls it, where that stands in its address. */
	series: text.optional(),
	/** True when it answers questions instead of reporting one thing. */
	isSearch: z.boolean(),
	intervalMs: z.int().positive(),
};
const series = {
	...about,
	unit: text,
	frequency: z.enum(FREQUENCIES),
	/** Places the decimal point is moved to give the unit. */
	shift: z.int().min(-24).max(24),
	/** Periods that have not come yet are what it is for. */
	isForecast: z.boolean(),
};

const feedSchema = z.discriminatedUnion("connector", [
	z.strictObject({ ...series, connector: z.literal("csv"), read: csvReading }),
	z.strictObject({ ...series, connector: z.literal("json"), read: jsonReading }),
	z.strictObject({ ...series, connector: z.literal("json-stat"), read: statReading }),
	z.strictObject({ ...about, connector: z.literal("feed"), read: statReading }),
	z.strictObject({ ...about, connector: z.literal("docs"), read: docsReading }),
]);

/** One feed, everything it shares with its source filled in. */
export type FeedSpec = z.infer<typeof feedSchema>;
export type SeriesSpec = Extract<FeedSpec, { readonly frequency: Frequency }>;

export function isSeries(feed: FeedSpec): feed is SeriesSpec {
	return "frequency" in feed;
}

/** Fills in what every feed may leave out. Throws what zod throws. */
function toFeedSpec(raw: Readonly<Record<string, unknown>>): FeedSpec {
	const { is_search, interval_ms, forecasts, shift, ...rest } = raw;
	const name = rest["series"];
	const isItems = rest["connector"] === "feed" || rest["connector"] === "docs";
	const given = {
		...rest,
		isSearch: is_search ?? false,
		intervalMs: interval_ms ?? FEED_LIMITS.hostIntervalMs,
		...(!isItems && { shift: shift ?? 0, isForecast: forecasts ?? false }),
		read: rest["read"] ?? {},
	};
	return feedSchema.parse(name === undefined ? given : fillIn(given, String(name)));
}

/** Puts the name of a series wherever `{series}` stands. */
function fillIn<T>(value: T, name: string): T {
	if (typeof value === "string") return value.replaceAll("{series}", name) as T;
	if (Array.isArray(value)) return value.map((item) => fillIn(item, name)) as T;
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, item]) => [key, fillIn(item, name)]),
	) as T;
}
