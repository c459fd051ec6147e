import { createHash } from "node:crypto";
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

/** What distinguishes readers, never pages. */
const TRACKING = /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_cid|mc_eid|igshid)$/i;
const REF_DIGITS = 20;

/** An address as articles are distinguished by it. */
export interface ArticleAddress {
	/** Lower case, without `www.`; with a port that is not the scheme's own. */
	readonly host: string;
	/** Host, path and query: without scheme, fragment, closing slash and what only counts visitors. */
	readonly text: string;
}

/** Undefined for a text that is no http(s) address. */
export function toArticleAddress(sourceUrl: string): ArticleAddress | undefined {
	const url = URL.canParse(sourceUrl) ? new URL(sourceUrl) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.host === "") return undefined;
	const host = url.host.replace(/^www\./, "");
	const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name));
	const query = kept.length > 0 ? `?${new URLSearchParams(kept)}` : "";
	return { host, text: `${host}${url.pathname.replace(/\/+$/, "")}${query}` };
}

/** `art_` and the beginning of the address's sha256; undefined for a text that is no http(s) address. */
export function toArticleRef(sourceUrl: string): string | undefined {
	const address = toArticleAddress(sourceUrl);
	return address && refOf(address);
}

export function refOf({ text }: ArticleAddress): string {
	return `art_${createHash("sha256").update(text).digest("hex").slice(0, REF_DIGITS)}`;
}
