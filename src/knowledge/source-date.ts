import type { DatePrecision } from "../contract/contract.js";

/** A day of the calendar and how much of it the source really said. */
export interface SourceDate {
	/** `YYYY-MM-DD`; month and year dates point to their first day. */
	readonly date: string;
	readonly precision: DatePrecision;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * Reads a date as people write it: `2018-08-01`, an ISO time, `2018-08`, `2018/08/01`, `2020` (text or number),
 * `13-Jun-2000`, `13 June 2000`, `June 13, 2000`, `June 2000`, a Date. Undefined for anything else.
 */
export function parseSourceDate(value: unknown): SourceDate | undefined {
	if (value instanceof Date) {
		return Number.isNaN(value.getTime()) ? undefined : day(value.toISOString().slice(0, 10));
	}
	if (typeof value === "number") return fromText(String(value));
	return typeof value === "string" ? fromText(value.trim()) : undefined;
}

/** The day alone; undefined when the value is no date. */
export function parseDay(value: unknown): string | undefined {
	return parseSourceDate(value)?.date;
}

function fromText(text: string): SourceDate | undefined {
	if (text.length > 40) return undefined;
	const iso = /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2})(?:[T ].*)?)?)?$/.exec(text);
	if (iso) return fromParts(iso[1], iso[2], iso[3]);
	const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[-\s]([A-Za-z]{3,9})\.?,?[-\s](\d{4})$/.exec(text);
	if (dayFirst) return fromParts(dayFirst[3], monthNumber(dayFirst[2]), dayFirst[1]);
	const monthFirst = /^([A-Za-z]{3,9})\.?\s(?:(\d{1,2})(?:st|nd|rd|th)?,?\s)?(\d{4})$/.exec(text);
	return monthFirst
		? fromParts(monthFirst[3], monthNumber(monthFirst[1]), monthFirst[2])
		: undefined;
}

function fromParts(
	year: string | undefined,
	month: string | undefined,
	dayOfMonth: string | undefined,
): SourceDate | undefined {
	if (!year || year < "1000" || month === "") return undefined;
	const text = `${year}-${(month ?? "1").padStart(2, "0")}-${(dayOfMonth ?? "1").padStart(2, "0")}`;
	if (!isCalendarDay(text)) return undefined;
	if (dayOfMonth) return day(text);
	return { date: text, precision: month ? "month" : "year" };
}

function isCalendarDay(text: string): boolean {
	const time = Date.parse(`${text}T00:00:00Z`);
	return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Empty when the name is no month, which makes the whole date unreadable. */
function monthNumber(name: string | undefined): string {
	const index = MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase());
	return index < 0 ? "" : String(index + 1);
}

function day(date: string): SourceDate {
	return { date, precision: "day" };
}
