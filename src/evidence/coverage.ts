import type { Concept } from "../knowledge/knowledge.js";

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
