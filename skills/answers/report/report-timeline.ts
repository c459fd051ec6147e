import type { CitedSentence } from "../../../src/evidence/evidence.js";
import { type DateSpan, findDateSpans } from "../../verify/verify.js";

/** Something a sentence dates, or the day its source appeared. */
export interface TimelineEntry {
	/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, as precise as it is told. */
	readonly date: string;
	readonly sentence: CitedSentence;
	/** "told" when the sentence names the date, "published" when it is that of its source. */
	readonly basis: "told" | "published";
}

const DAY_MS = 86_400_000;
const DATE_CHARS = { day: 10, month: 7, year: 4 } as const;

/**
 * Dated sentences, oldest first; of one date those that name it come before those whose source bears it. A sentence stands
 * here once, at the first date it names; nothing after `until` (`YYYY-MM-DD`) is taken from sources.
 */
export function toTimeline(
	sentences: readonly CitedSentence[],
	{ until, limit }: { readonly until: string; readonly limit: number },
): readonly TimelineEntry[] {
	const told = sentences.flatMap((sentence) => toldEntry(sentence) ?? []);
	const telling = new Set(told.map(({ sentence }) => sentence));
	const published = sentences.flatMap((sentence) =>
		telling.has(sentence) ? [] : (publishedEntry(sentence, until) ?? []),
	);
	return [...told, ...published].slice(0, limit).sort(byDate);
}

function toldEntry(sentence: CitedSentence): TimelineEntry | undefined {
	const span = findDateSpans(sentence.text).find((one) => isMeantAsDate(sentence.text, one));
	if (!span) return undefined;
	const day = new Date(span.from * DAY_MS).toISOString();
	return { date: day.slice(0, DATE_CHARS[span.precision]), sentence, basis: "told" };
}

/**
 * A bare number of four digits is a year only where the words before it say so: keys have 1952 bytes. A day that its month
 * does not have is none.
 */
function isMeantAsDate(text: string, span: DateSpan): boolean {
	const { precision, start } = span;
	if (precision === "day") return dayTold(span.text) === new Date(span.from * DAY_MS).getUTCDate();
	if (precision === "month") return true;
	return /\b(?:in|since|until|by|of|from|before|after|during|between|late|early|mid|year)[\s-]+$/i.test(
		text.slice(0, start),
	);
}

/** The day of the month that a date begins with: `2024-02-28`, "28 February 2024", "February 28th, 2024". */
function dayTold(date: string): number {
	const [, day] = /^\d{4}-\d\d-(\d\d)/.exec(date) ?? /(?<!\d)(\d{1,2})(?!\d)/.exec(date) ?? [];
	return Number(day);
}

function publishedEntry(sentence: CitedSentence, until: string): TimelineEntry | undefined {
	const [source] = sentence.sources;
	const { publishedAt, datePrecision = "day" } = source ?? {};
	if (publishedAt === undefined || publishedAt > until) return undefined;
	return { date: publishedAt.slice(0, DATE_CHARS[datePrecision]), sentence, basis: "published" };
}

function byDate(a: TimelineEntry, b: TimelineEntry): number {
	if (a.date !== b.date) return a.date < b.date ? -1 : 1;
	return a.basis === b.basis ? 0 : a.basis === "told" ? -1 : 1;
}
