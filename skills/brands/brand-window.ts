import { type CitedSentence, daysOf, toArticleRef } from "../../src/evidence/evidence.js";
import type { Evidence, Steps } from "../../src/knowledge/knowledge.js";
import { groupSources } from "../answers/answers.js";
import { BRAND_LIMITS } from "./brand-limits.js";
import type { Mention } from "./brand-mentions.js";

/** Days a reading is of, both inclusive (`YYYY-MM-DD`). */
export interface BrandWindow {
	/** Null: from the beginning, and what nobody dates counts too. */
	readonly from: string | null;
	readonly to: string;
}

/** A mention with those of its sources that fall into the window. */
export interface DatedMention extends Mention {
	/** Newest first; those the sentence is cited with. */
	readonly sources: readonly Evidence[];
	/** Day of the newest of them; null where none is dated. */
	readonly day: string | null;
	/** False for those beyond BRAND_LIMITS.mentionsRead: they count, and their tone and dangers are not read. */
	readonly isRead: boolean;
}

export interface Footprint {
	readonly mentions: number;
	readonly articles: number;
	readonly graphs: number;
	readonly sources_independent: number;
	readonly first_seen: string | null;
	readonly last_seen: string | null;
	readonly undated: number;
}

/**
 * Mentions with a source published in the window, newest first. A month or year stands for its first day; sources without a
 * date are in a window without a beginning alone.
 */
export function* withinWindow(
	mentions: readonly Mention[],
	window: BrandWindow,
): Steps<readonly DatedMention[]> {
	const found: Omit<DatedMention, "isRead">[] = [];
	for (const mention of mentions) {
		yield;
		const sentence = sentenceWithin(mention.sentence, window);
		if (!sentence) continue;
		const { sources } = sentence;
		found.push({ ...mention, sentence, sources, day: sources[0]?.publishedAt ?? null });
	}
	return found
		.sort((a, b) => compareDays(b.day, a.day))
		.map((mention, place) => ({ ...mention, isRead: place < BRAND_LIMITS.mentionsRead }));
}

/** A sentence with those of its sources that fall into the window, newest first; undefined where none does. */
export function sentenceWithin(
	sentence: CitedSentence,
	{ from, to }: BrandWindow,
): CitedSentence | undefined {
	const sources = sentence.sources
		.filter(({ publishedAt }) =>
			publishedAt === undefined
				? from === null
				: publishedAt <= to && (from === null || publishedAt >= from),
		)
		.sort((a, b) => compareDays(b.publishedAt ?? null, a.publishedAt ?? null));
	return sources.length > 0 ? { ...sentence, sources } : undefined;
}

/** What those say that are read. */
export function textsRead(mentions: readonly DatedMention[]): readonly string[] {
	return mentions.flatMap(({ isRead, sentence }) => (isRead ? [sentence.text] : []));
}

/** Undated before dated. */
function compareDays(a: string | null, b: string | null): number {
	const [one, other] = [a ?? "", b ?? ""];
	return one < other ? -1 : one > other ? 1 : 0;
}

export function measureFootprint(mentions: readonly DatedMention[]): Footprint {
	const sources = mentions.flatMap((mention) => mention.sources);
	const { oldest, newest } = daysOf(sources.map(({ publishedAt }) => publishedAt));
	return {
		mentions: mentions.length,
		articles: articlesOf(sources),
		graphs: new Set(mentions.map(({ sentence }) => sentence.graph.record.id)).size,
		sources_independent: groupSources(sources).length,
		first_seen: oldest,
		last_seen: newest,
		undated: mentions.filter(({ day }) => day === null).length,
	};
}

/** Distinct addresses. */
export function articlesOf(sources: readonly Evidence[]): number {
	const urls = new Set(sources.map(({ sourceUrl }) => sourceUrl));
	return new Set([...urls].map((url) => toArticleRef(url) ?? url)).size;
}
