import type { DatePrecision } from "../../../src/contract/contract.js";

/** How a date is meant: what is claimed happened in it, before it, after it, or began in it and goes on. */
type DateRelation = "in" | "before" | "after" | "since";

/** A day, month or year of a text, or a range of them. Days are counted from 1970-01-01. */
export interface DateSpan {
	readonly text: string;
	readonly start: number;
	readonly end: number;
	/** First and last day. */
	readonly from: number;
	readonly to: number;
	readonly precision: DatePrecision;
	readonly relation: DateRelation;
}

const MONTHS =
	"january february march april may june july august september october november december".split(
		" ",
	);
const MONTH = `(?<month>${MONTHS.join("|")}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\\.?`;
const YEAR = "(?<year>19\\d\\d|20[0-3]\\d)";
const ENDS = "(?![\\p{L}\\p{N}]|[.,-]\\d)";
const STARTS = "(?<![\\p{L}\\p{N}_./#-])";
const PATTERNS: readonly RegExp[] = [
	new RegExp(
		`\\b(?<part>first|second|third|fourth|last)\\s(?<length>quarter|half)\\s(?:of\\s)?${YEAR}${ENDS}`,
		"giu",
	),
	new RegExp(`${STARTS}(?<part>[QH][1-4])\\s(?:of\\s)?${YEAR}${ENDS}`, "gu"),
	new RegExp(`\\b(?<part>spring|summer|autumn)\\s(?:of\\s)?${YEAR}${ENDS}`, "giu"),
	new RegExp(`${STARTS}(?<monthNumber>0?[1-9]|1[0-2])/${YEAR}${ENDS}`, "gu"),
	new RegExp(`${STARTS}${YEAR}-(?<monthNumber>0[1-9]|1[0-2])-(?<day>[0-3]\\d)(?!\\d|-)`, "giu"),
	new RegExp(
		`${STARTS}(?<day>[0-3]?\\d)(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH},?\\s+${YEAR}${ENDS}`,
		"giu",
	),
	new RegExp(`${STARTS}${MONTH}\\s+(?<day>[0-3]?\\d)(?:st|nd|rd|th)?,?\\s+${YEAR}${ENDS}`, "giu"),
	new RegExp(`${STARTS}${MONTH},?\\s+(?:of\\s+)?${YEAR}${ENDS}`, "giu"),
	new RegExp(`${STARTS}${YEAR}-(?<monthNumber>0[1-9]|1[0-2])${ENDS}`, "giu"),
	new RegExp(`(?<![\\p{L}\\p{N}_./#$-])${YEAR}(?![\\p{L}\\p{N}]|[.,]\\d|-\\p{L})`, "giu"),
];
/** What a four-digit number belongs to when it is no year. */
const NAME_BEFORE =
	/(?:\b(?:rfc|eip|erc|pep|kep|bcp|std|iso|fips|port|rsa|number|no\.|edition|ecmascript|es|status|error|code)[- ]?)$/i;
const UNIT_AFTER =
	/^[- ]?(?:bits?|bytes?|gas|rows?|entries|dimensions?|tokens?|ms|seconds?|mib|kib|times|%|percent)\b/i;
const BEFORE =
	/\b(?:before|until|till|up to|prior to|by|earlier than|no later than)\s+(?:the end of\s+)?$/i;
const SINCE = /\bsince\s+$/i;
const AFTER =
	/\b(?:after|later than|(?<!\bdat(?:es?|ed|ing)\s)from|as of|starting(?: in)?|no earlier than)\s+$/i;
const BETWEEN = /\b(?:between|from)\s+$/i;
const DAY_MS = 86_400_000;

/** Dates of a text in order, each with the precision it is written in. */
export function findDateSpans(text: string): readonly DateSpan[] {
	const spans: DateSpan[] = [];
	for (const pattern of PATTERNS) {
		for (const match of text.matchAll(pattern)) {
			const span = toPartSpan(text, match) ?? toSpan(text, match);
			const isNew =
				span && !spans.some((other) => span.start < other.end && span.end > other.start);
			if (isNew) spans.push(span);
		}
	}
	spans.sort((a, b) => a.start - b.start);
	return joinRanges(text, spans);
}

/** Days since 1970-01-01 of `YYYY-MM-DD`. */
export function toDayNumber(isoDay: string): number {
	return Math.floor(Date.parse(`${isoDay}T00:00:00Z`) / DAY_MS);
}

function toPartSpan(text: string, match: RegExpExecArray): DateSpan | undefined {
	const { year, part, length } = match.groups ?? {};
	if (part === undefined) return undefined;
	const start = match.index;
	const relation = relationOf(text.slice(0, start).replace(/\bthe\s$/i, ""));
	const days = daysOfPart(Number(year), part.toLowerCase(), length?.toLowerCase());
	const end = start + match[0].length;
	return { text: match[0], start, end, ...days, precision: "month", relation };
}

function toSpan(text: string, match: RegExpExecArray): DateSpan | undefined {
	const { year, month, monthNumber, day } = match.groups ?? {};
	const start = match.index;
	const end = start + match[0].length;
	const isBare = !month && !monthNumber;
	if (isBare && isNoYear(text, start, end)) return undefined;
	const precision = day ? "day" : isBare ? "year" : "month";
	const named = MONTHS.findIndex((name) =>
		name.startsWith((month ?? "-").toLowerCase().slice(0, 3)),
	);
	const ofMonth = Number(day ?? 1);
	if (ofMonth < 1 || ofMonth > 31) return undefined;
	const parts = {
		year: Number(year),
		month: Number(monthNumber ?? named + 1) || 1,
		day: ofMonth,
	};
	const relation = relationOf(text.slice(0, start));
	return { text: match[0], start, end, ...daysOf(precision, parts), precision, relation };
}

/** "RFC 2026", "2048 bits". */
function isNoYear(text: string, start: number, end: number): boolean {
	const before = text.slice(Math.max(0, start - 16), start);
	return NAME_BEFORE.test(before) || UNIT_AFTER.test(text.slice(end, end + 16));
}

function daysOf(
	precision: DateSpan["precision"],
	{ year, month, day }: { year: number; month: number; day: number },
) {
	const dayNumber = (y: number, m: number, d: number) => Math.floor(Date.UTC(y, m - 1, d) / DAY_MS);
	const spans = {
		year: { from: dayNumber(year, 1, 1), to: dayNumber(year + 1, 1, 1) - 1 },
		month: { from: dayNumber(year, month, 1), to: dayNumber(year, month + 1, 1) - 1 },
		day: { from: dayNumber(year, month, day), to: dayNumber(year, month, day) },
	};
	return spans[precision];
}

/** Months in which a season may lie: who says "autumn" may mean any of four. */
const SEASONS: Readonly<Record<string, readonly [number, number]>> = {
	spring: [3, 6],
	summer: [6, 9],
	autumn: [9, 12],
};
const PLACES = ["first", "second", "third", "fourth"];

/** "Third quarter", "Q3", "first half", "autumn". */
function daysOfPart(
	year: number,
	part: string,
	length = part.startsWith("h") ? "half" : "quarter",
) {
	const months = length === "half" ? 6 : 3;
	const last = 12 / months;
	const written = Number(part.slice(1)) || PLACES.indexOf(part) + 1 || last;
	const place = Math.min(written, last);
	const [first, end] = SEASONS[part] ?? [(place - 1) * months + 1, place * months];
	const { from } = daysOf("month", { year, month: first, day: 1 });
	return { from, to: daysOf("month", { year, month: end, day: 1 }).to };
}

function relationOf(before: string): DateRelation {
	const near = before.slice(-40);
	if (BEFORE.test(near)) return "before";
	if (SINCE.test(near)) return "since";
	return AFTER.test(near) ? "after" : "in";
}

/** "between 2019 and 2021", "2016 to 2026". */
function joinRanges(text: string, spans: readonly DateSpan[]): readonly DateSpan[] {
	const joined: DateSpan[] = [];
	for (const next of spans) {
		const last = joined.at(-1);
		const gap = last ? text.slice(last.end, next.start) : "";
		const opens = last && BETWEEN.test(text.slice(Math.max(0, last.start - 12), last.start));
		const isRange =
			/^\s*(?:to|until|through|-|–)\s*$/i.test(gap) || (opens && /^\s*and\s*$/i.test(gap));
		if (!last || !isRange || next.from <= last.from) {
			joined.push(next);
			continue;
		}
		const { end, to } = next;
		const whole = text.slice(last.start, end);
		joined.splice(-1, 1, { ...last, text: whole, end, to, relation: "in" });
	}
	return joined;
}
