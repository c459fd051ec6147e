import type { Frequency } from "./feed-registry.js";

interface Parts {
	readonly year: number;
	readonly month?: number | undefined;
	readonly day?: number | undefined;
	readonly quarter?: number | undefined;
}

/** Days written with the day or the month first: 31.12.2025, 12/31/2025. */
export type DayOrder = "dmy" | "mdy";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * A period as we write it: `2025`, `2025-Q4`, `2025-12` or `2025-12-31`, so that within a frequency the order of texts is
 * that of time. Undefined for what is no date, or says less than the frequency needs.
 */
export function toPeriod(text: string, frequency: Frequency, order?: DayOrder): string | undefined {
	const parts = readParts(text.trim(), order);
	return parts && isCalendar(parts) ? render(parts, frequency) : undefined;
}

const FORMS = [
	/^(?<year>\d{4})$/,
	/^(?<year>\d{4})[- ]?Q(?<quarter>[1-4])$/i,
	/^(?<year>\d{4})-?M?(?<month>\d{2})$/,
	/^(?<year>\d{4})-(?<month>\d)$/,
	/^(?<year>\d{4}) (?<month>[A-Z]{3})$/i,
	/^(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})(?:[T ].{0,40})?$/,
	/^(?<day>\d{1,2})[ -](?<month>[A-Z]{3})[ -](?<year>\d{4})$/i,
];
const ORDERED_FORMS: Readonly<Record<DayOrder, RegExp>> = {
	dmy: /^(?<day>\d{1,2})[./-](?<month>\d{1,2})[./-](?<year>\d{4})$/,
	mdy: /^(?<month>\d{1,2})[./-](?<day>\d{1,2})[./-](?<year>\d{4})$/,
};

function readParts(text: string, order: DayOrder | undefined): Parts | undefined {
	const forms = order ? [...FORMS, ORDERED_FORMS[order]] : FORMS;
	const form = forms.find((one) => one.test(text));
	if (!form) return undefined;
	const { year, month, day, quarter } = form.exec(text)?.groups ?? {};
	const toNumber = (digits: string | undefined) => (digits === undefined ? digits : Number(digits));
	return {
		year: Number(year),
		month: month !== undefined && /\D/.test(month) ? monthNamed(month) : toNumber(month),
		day: toNumber(day),
		quarter: toNumber(quarter),
	};
}

function monthNamed(name: string): number {
	return MONTHS.indexOf(name.toLowerCase()) + 1;
}

function isCalendar({ year, month = 1, day = 1 }: Parts): boolean {
	if (year < 1000 || month < 1 || month > 12) return false;
	const date = new Date(Date.UTC(year, month - 1, day));
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function render(parts: Parts, frequency: Frequency): string | undefined {
	const { year, month, day } = parts;
	switch (frequency) {
		case "annual":
			return parts.quarter === undefined ? `${year}` : undefined;
		case "quarterly": {
			const quarter = quarterOf(parts);
			return quarter === undefined ? undefined : `${year}-Q${quarter}`;
		}
		case "monthly":
			return month === undefined ? undefined : `${year}-${two(month)}`;
		case "weekly":
		case "daily":
			return day === undefined ? undefined : `${year}-${two(month ?? 1)}-${two(day)}`;
	}
}

function quarterOf({ month, quarter }: Parts): number | undefined {
	return quarter ?? (month === undefined ? undefined : Math.ceil(month / 3));
}

function two(value: number): string {
	return String(value).padStart(2, "0");
}

/** When a period begins, in milliseconds since the epoch (UTC). */
export function periodStart(period: string): number {
	const [year = "", rest = "01", day = "01"] = period.split("-");
	const month = rest.startsWith("Q") ? Number(rest.slice(1)) * 3 - 2 : Number(rest);
	return Date.UTC(Number(year), month - 1, Number(day));
}

/** The period of a coarser frequency that this one lies in; a week lies where its day does. */
export function toCoarser(period: string, frequency: Frequency): string {
	return toPeriodOf(new Date(periodStart(period)), frequency);
}

/** The last day of the week that a day lies in, weeks ending on a day of the week (Sunday is 0). */
export function toWeek(day: string, weekday: number): string {
	const date = new Date(periodStart(day));
	date.setUTCDate(date.getUTCDate() + ((weekday - date.getUTCDay() + 7) % 7));
	return toPeriodOf(date, "weekly");
}

/** The same period a year before; undefined for days and weeks, whose years do not match. */
export function yearBefore(period: string, frequency: Frequency): string | undefined {
	if (frequency === "daily" || frequency === "weekly") return undefined;
	return `${Number(period.slice(0, 4)) - 1}${period.slice(4)}`;
}

/** The period after. */
export function nextPeriod(period: string, frequency: Frequency): string {
	const date = new Date(periodStart(period));
	const months = { quarterly: 3, monthly: 1, annual: 12, daily: 0, weekly: 0 }[frequency];
	const days = { daily: 1, weekly: 7, quarterly: 0, monthly: 0, annual: 0 }[frequency];
	date.setUTCMonth(date.getUTCMonth() + months, date.getUTCDate() + days);
	return toPeriodOf(date, frequency);
}

function toPeriodOf(date: Date, frequency: Frequency): string {
	const parts = {
		year: date.getUTCFullYear(),
		month: date.getUTCMonth() + 1,
		day: date.getUTCDate(),
	};
	return render(parts, frequency) ?? "";
}
