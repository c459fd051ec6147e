import { type DateSpan, findDateSpans } from "../verify/verify.js";

const DAY_MS = 86_400_000;
const DATE_CHARS = { day: 10, month: 7, year: 4 } as const;
/** A longer span, such as "between 2019 and 2021", dates nothing. */
const LONGEST_DAYS = 366;
/** Words before a year that make a number of four digits one. */
const YEAR_WORDS = /\b(?:in|since|of|during|late|early|mid|year)[\s-]+$/i;
/** When figures were read is no date of what they say. */
const READ_ON =
	/\b(?:extract|retrieved|accessed|updated|read|valid|dated?|as)\s+(?:to|on|of|until)?\s*$/i;

/** The day that a sentence dates itself to, and the date as precise as it is written. */
export interface ToldDate {
	/** First day of it, `YYYY-MM-DD`. */
	readonly day: string;
	readonly date: string;
}

/** What a sentence says of when it happened; undefined where it names no date, several, a deadline, or a day after `today`. */
export function toldDateOf(text: string, today: string): ToldDate | undefined {
	const dates = findDateSpans(text).filter((span) => isMeantAsDate(text, span));
	const [span] = dates;
	if (!span || dates.length > 1 || (span.relation !== "in" && span.relation !== "since"))
		return undefined;
	if (span.to - span.from >= LONGEST_DAYS) return undefined;
	const day = new Date(span.from * DAY_MS).toISOString().slice(0, DATE_CHARS.day);
	return day > today ? undefined : { day, date: day.slice(0, DATE_CHARS[span.precision]) };
}

function isMeantAsDate(text: string, { precision, start }: DateSpan): boolean {
	const before = text.slice(0, start);
	if (READ_ON.test(before)) return false;
	return precision !== "year" || YEAR_WORDS.test(before);
}
