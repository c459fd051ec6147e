import { findEventDate } from "../answers/answers.js";

/** The day that a sentence dates itself to, and the date as precise as it is written. */
export interface ToldDate {
	/** First day of it, `YYYY-MM-DD`. */
	readonly day: string;
	readonly date: string;
}

const FIRST_DAY = "0000-01-01";

/** What a sentence says of when it happened; undefined where it names no date, several, a range, a deadline, or a day after `today`. */
export function toldDateOf(text: string, today: string): ToldDate | undefined {
	const found = findEventDate(text);
	if (!found || found.until !== undefined) return undefined;
	const day = found.date + FIRST_DAY.slice(found.date.length);
	return day > today ? undefined : { day, date: found.date };
}
