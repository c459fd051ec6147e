import type { CitedSentence } from "../../../src/evidence/evidence.js";
import { type DateSpan, findDateSpans } from "../../verify/verify.js";

/** When something happened, as a text says it. */
export interface EventDate {
	/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, as precise as the text. */
	readonly date: string;
	/** When it ended, where the text says so: "from 2019 to 2021". */
	readonly until: string | undefined;
	/** Where it stands in the text. */
	readonly start: number;
	readonly end: number;
}

/** Something that a sentence says happened on a date. */
export interface DatedEvent extends Pick<EventDate, "date" | "until"> {
	readonly sentence: CitedSentence;
}

const DAY_MS = 86_400_000;
const DATE_CHARS = { day: 10, month: 7, year: 4 } as const;

/**
 * When what a sentence says happened; undefined where it does not say so. When a source was published or read is no event, nor is a day
 * by which something is due, and a sentence that names several dates does not say which of them is meant.
 */
export function findEventDate(text: string): EventDate | undefined {
	const [span, ...others] = findDateSpans(text).filter((one) => isDateOfEvent(text, one));
	if (!span || others.length > 0) return undefined;
	const { start, end, from, to } = span;
	// "In autumn 2024" says when within the year, and not for how long.
	const precision = PART_OF_YEAR.test(span.text) ? "year" : span.precision;
	const last = findDateSpans(span.text.split(RANGE).at(-1) ?? "")[0];
	const until = last && to > endOf({ from, precision }) ? toDate(to, last.precision) : undefined;
	return { date: toDate(from, precision), until, start, end };
}

/** What sentences date by themselves, oldest first. */
export function findDatedEvents(sentences: readonly CitedSentence[]): readonly DatedEvent[] {
	const events = sentences.flatMap((sentence) => {
		const found = findEventDate(sentence.text);
		return found ? [{ date: found.date, until: found.until, sentence }] : [];
	});
	return events.sort((a, b) => (a.date < b.date ? -1 : Number(a.date > b.date)));
}

/** Whether a text names any date, of whatever it is. */
export function hasDate(text: string): boolean {
	return findDateSpans(text).some((span) => isWrittenAsDate(text, span));
}

const PART_OF_YEAR = /quarter|half|\b[QH][1-4]\b|spring|summer|autumn/i;
const RANGE = /\s*(?:\b(?:to|until|through|and)\b|–|(?<=\d{4})-(?=\d{4}))\s*/i;

/** "As of", "in the extract to": when somebody looked; "by", "until": when something is due. */
const NO_EVENT =
	/\b(?:as of|by|until|till|before|after|prior to|up to|no (?:later|earlier) than|extract (?:of|to|from)|retrieved(?: on)?|accessed(?: on)?|updated(?: on)?|expires?(?: on| in)?|due(?: on| in)?)\s+(?:the end of\s+)?$/i;

/** What did not happen then is no event. */
const DENIED = /\b(?:not|never)\b[^.;,]{0,40}$/i;
/** "From 3 to 5 March": the day that is written whole is the last one. */
const DAYS_BEFORE = /(?<!\d)\d{1,2}\s*(?:to|and|until|-|–)\s*$/i;
/** "2000 stores", but not where a sentence begins: "In 2014 researchers found". */
const COUNTED = /^\s+(?:\p{Ll}+\s+)?\p{Ll}{3,}s\b/u;
const OPENING = /(?:^|[.;]\s+)\p{Lu}\p{L}*\s+$/u;

function isDateOfEvent(text: string, span: DateSpan): boolean {
	const before = text.slice(0, span.start);
	return !NO_EVENT.test(before) && !DENIED.test(before) && isWrittenAsDate(text, span);
}

/**
 * A bare number of four digits is a year only where the words before it say so, or where it stands in brackets of its own in a text
 * that numbers nothing else that way: keys have 1952 bytes. A day that its month does not have is none.
 */
function isWrittenAsDate(text: string, span: DateSpan): boolean {
	const { precision, start, end } = span;
	const before = text.slice(0, start);
	if (precision === "day") {
		const isWhole = dayWritten(span.text) === new Date(span.from * DAY_MS).getUTCDate();
		return isWhole && !DAYS_BEFORE.test(before);
	}
	if (precision === "month") return true;
	const isBracketed = text[start - 1] === "(" && text[end] === ")";
	if (isBracketed) return !NUMBERED.test(text);
	const isCount = COUNTED.test(text.slice(end)) && !OPENING.test(before);
	return YEAR_BEFORE.test(before) && !isCount;
}

/** "(1522)", "(RFC 2052)": brackets that hold numbers of documents. */
const NUMBERED = /\((?:\p{Lu}+ )?(?!(?:19|20)\d\d\))\d+\)/u;
const YEAR_BEFORE =
	/\b(?:in|since|until|by|from|before|after|during|between|late|early|mid|year|(?:start|beginning|middle|course|end|edition) of)[\s-]+$/i;

/** The day of the month that a date begins with: `2024-02-28`, "28 February 2024", "February 28th, 2024". */
function dayWritten(date: string): number {
	const [, day] = /^\d{4}-\d\d-(\d\d)/.exec(date) ?? /(?<!\d)(\d{1,2})(?!\d)/.exec(date) ?? [];
	return Number(day);
}

/** The last day of what a span begins with: a range goes on beyond it. */
function endOf({ from, precision }: Pick<DateSpan, "from" | "precision">): number {
	const start = new Date(from * DAY_MS);
	if (precision === "day") return from;
	const months = precision === "year" ? 12 : 1;
	return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, 1) / DAY_MS - 1;
}

function toDate(day: number, precision: DateSpan["precision"]): string {
	return new Date(day * DAY_MS).toISOString().slice(0, DATE_CHARS[precision]);
}
