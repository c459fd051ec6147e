import { BRAND_LIMITS } from "./brand-limits.js";
import { countTones, type ToneCount } from "./brand-tone.js";
import { type BrandWindow, type DatedMention, textsRead } from "./brand-window.js";

export type BucketSize = "day" | "month" | "quarter" | "year";

/** What was said in one stretch of time. */
export interface Bucket {
	/** `2025-08-25`, `2025-08`, `2025-Q3` or `2025`. */
	readonly period: string;
	readonly mentions: readonly DatedMention[];
	readonly sentiment: ToneCount;
}

const DAY_MS = 86_400_000;

/** Days up to a month, months up to two years, quarters up to five, then years. */
function bucketSizeFor(first: string, last: string): BucketSize {
	const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
	if (days <= 31) return "day";
	if (days <= 731) return "month";
	return days <= 1_827 ? "quarter" : "year";
}

interface Buckets {
	readonly size: BucketSize;
	readonly buckets: readonly Bucket[];
	/** Whether the window has earlier stretches than these, and how many dated mentions fall into them. */
	readonly isCut: boolean;
	readonly earlier: number;
}

/**
 * Dated mentions by the day of their newest source in the window, in order of time, empty stretches included as long as
 * there are no more than BRAND_LIMITS.bucketsMax; then the last ones up to the newest mention.
 */
export function toBuckets(
	mentions: readonly DatedMention[],
	{ from, to }: BrandWindow,
	wanted?: BucketSize,
): Buckets {
	const days = mentions.flatMap(({ day }) => day ?? []).sort();
	const [first, last] = [days[0], days.at(-1)];
	if (first === undefined || last === undefined) {
		return { size: wanted ?? "month", buckets: [], isCut: false, earlier: 0 };
	}
	const [begin, end] = from === null ? [first, last] : [from, to];
	const size = wanted ?? bucketSizeFor(begin, end);
	const byPeriod = new Map<string, DatedMention[]>();
	const whole = lastPeriods(begin, end, size);
	const reachesBack = whole[0] === periodOf(begin, size);
	const periods = reachesBack ? whole : lastPeriods(begin, last, size);
	for (const period of periods) byPeriod.set(period, []);
	for (const mention of mentions) {
		if (mention.day !== null) byPeriod.get(periodOf(mention.day, size))?.push(mention);
	}
	const buckets = [...byPeriod].map(([period, own]) => ({
		period,
		mentions: own,
		sentiment: countTones(textsRead(own)),
	}));
	const told = buckets.reduce((sum, bucket) => sum + bucket.mentions.length, 0);
	const isCut = periods[0] !== periodOf(begin, size);
	return { size, buckets, isCut, earlier: days.length - told };
}

function periodOf(day: string, size: BucketSize): string {
	if (size === "day") return day;
	if (size === "month") return day.slice(0, 7);
	if (size === "year") return day.slice(0, 4);
	return `${day.slice(0, 4)}-Q${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
}

/** Periods from the first to the last day, oldest first, no more than may be told: the last of them. */
function lastPeriods(first: string, last: string, size: BucketSize): readonly string[] {
	const periods: string[] = [];
	let day = last;
	while (day >= first && periods.length < BRAND_LIMITS.bucketsMax) {
		periods.push(periodOf(day, size));
		day = dayBefore(day, size);
	}
	return periods.reverse();
}

/** The last day of the period before. */
function dayBefore(day: string, size: BucketSize): string {
	const [year, month, date] = day.split("-").map(Number) as [number, number, number];
	const start = {
		day: [year, month - 1, date],
		month: [year, month - 1, 1],
		quarter: [year, Math.floor((month - 1) / 3) * 3, 1],
		year: [year, 0, 1],
	}[size] as [number, number, number];
	return new Date(Date.UTC(...start) - DAY_MS).toISOString().slice(0, 10);
}
