import { z } from "zod";
import { ServiceError } from "../../src/kernel/kernel.js";
import { cleanLine, truncateText } from "../../src/knowledge/knowledge.js";
import { FEED_LIMITS } from "./feed-limits.js";
import type { SeriesSpec } from "./feed-registry.js";
import { type DayOrder, periodStart, toPeriod } from "./period.js";

/** One period and its value as the source wrote it. */
export type Observation = readonly [period: string, value: string];

const itemSchema = z.object({
	title: z.string(),
	url: z.string(),
	/** ISO 8601 in UTC. */
	publishedAt: z.string().nullable(),
	summary: z.string().nullable(),
});
export type FeedItem = z.infer<typeof itemSchema>;

/** What one reply said: observations from old to new, or items as they came. */
export const readingSchema = z.discriminatedUnion("kind", [
	z.object({
		kind: z.literal("series"),
		observations: z.array(z.tuple([z.string(), z.string()]).readonly()).min(1),
	}),
	z.object({ kind: z.literal("items"), items: z.array(itemSchema) }),
]);
export type FeedReading = z.infer<typeof readingSchema>;

/** A reply that cannot be what the registry says it is; the reason is a sentence that may be shown. */
export function invalidReply(reason: string): ServiceError {
	return new ServiceError("UPSTREAM", reason);
}

/** What a reply said, for a message: one line, short, nothing invisible. */
export function quoted(text: unknown): string {
	return `"${truncateText(cleanLine(String(text)), 40)}"`;
}

/** A period and a value as they stood in the reply. */
export type RawRow = readonly [period: string, value: unknown];

const ALWAYS_MISSING = ["", ".", "..", "NA"];

export interface SeriesRules {
	readonly feed: Pick<SeriesSpec, "frequency" | "shift" | "isForecast">;
	/** What stands for no value here, beside what always does. */
	readonly missing?: readonly string[];
	readonly dates?: DayOrder | undefined;
	readonly nowMs: number;
}

/**
 * Rows as observations, from old to new and at most FEED_LIMITS.observationsKept of them. Throws UPSTREAM for what is no date,
 * no number, too large, not yet come, or said twice and differently: then nothing of the reply is accepted.
 */
export function toSeries(rows: readonly RawRow[], rules: SeriesRules): FeedReading {
	const absent = new Set([...ALWAYS_MISSING, ...(rules.missing ?? [])]);
	const values = new Map<string, string>();
	for (const [periodText, raw] of rows) {
		const text = String(raw ?? "").trim();
		if (absent.has(text)) continue;
		const [period, value] = toObservation(periodText, text, rules);
		if ((values.get(period) ?? value) !== value)
			throw invalidReply(`It has two values for ${period}.`);
		values.set(period, value);
	}
	const observations = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
	const last = observations.at(-1);
	if (!last) throw invalidReply("It has no observation.");
	if (periodStart(last[0]) > latestStart(rules)) {
		throw invalidReply(`It has a value for ${last[0]}, which has not come yet.`);
	}
	return { kind: "series", observations: observations.slice(-FEED_LIMITS.observationsKept) };
}

function toObservation(
	periodText: string,
	text: string,
	{ feed, dates }: SeriesRules,
): Observation {
	const period = toPeriod(periodText, feed.frequency, dates);
	if (period === undefined) {
		throw invalidReply(`It has ${quoted(periodText)} where a ${feed.frequency} period belongs.`);
	}
	if (!isPublishedNumber(text))
		throw invalidReply(`It has ${quoted(text)} where a number belongs.`);
	return [period, shiftPoint(text, feed.shift)];
}

function latestStart({ feed, nowMs }: SeriesRules): number {
	if (!feed.isForecast) return nowMs + FEED_LIMITS.futureMs;
	return Date.UTC(new Date(nowMs).getUTCFullYear() + FEED_LIMITS.forecastYears, 0, 1);
}

/** An item as it stood in the reply. */
export type RawItem = Readonly<Record<"title" | "url" | "date" | "summary", unknown>>;

/**
 * Items as plain text, newest first where they are dated. Those without a title or an http address are left out; a date
 * that is none, or has not come yet, is left out of its item. Throws UPSTREAM when none is left of some.
 */
export function toItems(raw: readonly RawItem[], nowMs: number): FeedReading {
	const items = raw.slice(0, FEED_LIMITS.itemsKept).flatMap((item) => toItem(item, nowMs) ?? []);
	if (items.length === 0 && raw.length > 0)
		throw invalidReply("None of its items has a title and an address.");
	const dated = items.map((item, place) => ({ item, place, at: item.publishedAt ?? "" }));
	dated.sort((a, b) => (a.at === b.at ? a.place - b.place : a.at < b.at ? 1 : -1));
	return { kind: "items", items: dated.map(({ item }) => item) };
}

function toItem({ title, url, date, summary }: RawItem, nowMs: number): FeedItem | undefined {
	const shownTitle = toProse(title, FEED_LIMITS.titleChars);
	const address = toAddress(url);
	if (!shownTitle || !address) return undefined;
	return {
		title: shownTitle,
		url: address,
		publishedAt: toTime(date, nowMs),
		summary: toProse(summary, FEED_LIMITS.summaryChars) || null,
	};
}

/** Text of strangers as one line of prose: entities read, tags and everything invisible gone. */
function toProse(value: unknown, maxChars: number): string {
	if (typeof value !== "string") return "";
	const bounded = value.slice(0, maxChars * 10);
	const untagged = bounded.replace(TAG, " ").replace(ENTITY, readEntity).replace(TAG, " ");
	return truncateText(cleanLine(untagged), maxChars);
}

const TAG = /<\/?[a-zA-Z!][^<>]{0,2000}>/g;
const ENTITY = /&(?:#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/g;
const NAMED: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	apos: "'",
	nbsp: " ",
};

function readEntity(whole: string, code: string | undefined, name: string | undefined): string {
	if (name !== undefined) return NAMED[name] ?? whole;
	const point = Number(code);
	return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "";
}

function toAddress(value: unknown): string | undefined {
	if (typeof value !== "string" || value.length > FEED_LIMITS.urlChars) return undefined;
	const text = value.trim();
	if (!URL.canParse(text)) return undefined;
	const url = new URL(text);
	const isOpen = (url.protocol === "https:" || url.protocol === "http:") && !url.username;
	return isOpen && !url.password ? url.href : undefined;
}

/** GDELT writes 20251122T093000Z, openFDA 20251122, USGS milliseconds. */
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})Z)?$/;
const EPOCH_MS = /^\d{12,14}$/;

function toTime(value: unknown, nowMs: number): string | null {
	if (typeof value !== "string") return null;
	const text = value.trim().replace(COMPACT, "$1-$2-$3T$4:$5:$6Z").replace("T::Z", "");
	const ms = EPOCH_MS.test(text) ? Number(text) : Date.parse(text);
	if (!Number.isFinite(ms) || ms < 0 || ms > nowMs + FEED_LIMITS.futureMs) return null;
	return new Date(ms).toISOString();
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?$|^([+-]?)\.(\d+)$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** True for text that is one finite number of a size that can be measured. */
export function isPublishedNumber(text: string): boolean {
	if (text.length > FEED_LIMITS.valueChars || !NUMBER.test(text)) return false;
	return Math.abs(Number(text)) < FEED_LIMITS.valueMax;
}

/** Moves the decimal point, digit by digit, so that nothing is rounded: `10251000000000` by -12 is `10.251`. */
export function shiftPoint(text: string, places: number): string {
	const match = places === 0 ? null : text.match(DECIMAL);
	if (!match) return places === 0 ? text : String(Number(text) * 10 ** places);
	const sign = match[1] ?? match[4] ?? "";
	const whole = match[2] ?? "";
	const digits = `${whole}${match[3] ?? match[5] ?? ""}`;
	const point = whole.length + places;
	const padded = digits.padStart(digits.length + Math.max(0, 1 - point), "0");
	const start = Math.max(1, point);
	const before = padded
		.slice(0, start)
		.padEnd(start, "0")
		.replace(/^0+(?=\d)/, "");
	const after = padded.slice(start).replace(/0+$/, "");
	return `${sign === "-" ? "-" : ""}${before}${after && `.${after}`}`;
}

/** Difference of two published numbers, free of the dust of binary fractions. */
export function exactDifference(after: string, before: string): number {
	const places = Math.min(20, Math.max(decimalsOf(after), decimalsOf(before)));
	return Number((Number(after) - Number(before)).toFixed(places));
}

function decimalsOf(text: string): number {
	const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
	return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent));
}
