import type { Concept, Evidence } from "../knowledge/knowledge.js";

/** What carries some nodes, in numbers. */
export interface Coverage {
	/** Distinct addresses. */
	readonly sources: number;
	/** Days (`YYYY-MM-DD`) of the oldest and newest dated source. */
	readonly oldest: string | null;
	readonly newest: string | null;
}

export function measureCoverage(concepts: readonly Concept[]): Coverage {
	const evidence = concepts.flatMap((concept) => concept.evidence);
	return {
		sources: new Set(evidence.map(({ sourceUrl }) => sourceUrl)).size,
		...daysOf(evidence.map(({ publishedAt }) => publishedAt)),
	};
}

/** First and last of some days, whatever their order. */
export function daysOf(days: Iterable<string | undefined>): Pick<Coverage, "oldest" | "newest"> {
	let [oldest, newest]: [string | null, string | null] = [null, null];
	for (const day of days) {
		if (day === undefined) continue;
		if (oldest === null || day < oldest) oldest = day;
		if (newest === null || day > newest) newest = day;
	}
	return { oldest, newest };
}

/** How much more is published on a subject than was a year before. */
export interface Momentum {
	/** log2((recent + 1) / (before + 1)), four decimals: 1 is twice as much, 0 the same, -1 half. */
	readonly score: number;
	/** Distinct sources published in the 365 days up to and with `asOf`. */
	readonly recent: number;
	/** Those of the 365 days before these. */
	readonly before: number;
	/** `YYYY-MM-DD`. */
	readonly asOf: string;
}

const DAY_MS = 86_400_000;
const WINDOW_DAYS = 365;

/**
 * Measures the sources of one concept; those without a date do not count, those of a month or year on its first day. A
 * ratio, so that large and small subjects compare; one source is added to both years (additive smoothing), so that a
 * single source is no trend.
 */
export function createMomentum(asOf: string): (evidence: readonly Evidence[]) => Momentum {
	const [middle, start] = [daysBefore(asOf, WINDOW_DAYS), daysBefore(asOf, 2 * WINDOW_DAYS)];
	return (evidence) => {
		const [recent, before] = [new Set<string>(), new Set<string>()];
		for (const { publishedAt, sourceUrl } of evidence) {
			if (publishedAt === undefined || publishedAt > asOf || publishedAt <= start) continue;
			(publishedAt > middle ? recent : before).add(sourceUrl);
		}
		const ratio = (recent.size + 1) / (before.size + 1);
		const score = Math.round(Math.log2(ratio) * 10_000) / 10_000;
		return { score, recent: recent.size, before: before.size, asOf };
	};
}

function daysBefore(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
}
