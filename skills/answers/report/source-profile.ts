import type { TrustTier } from "../../../src/contract/contract.js";
import { type CitedSentence, daysOf } from "../../../src/evidence/evidence.js";
import { groupSources } from "./independent-sources.js";

/** What a report rests on, in numbers. */
export interface SourceProfile {
	/** Cited sentences by how their concept was checked. */
	readonly tiers: Readonly<Record<TrustTier, number>>;
	readonly sources: number;
	/** Groups of sources that do not stand for each other. */
	readonly independent_groups: number;
	readonly publishers: readonly { readonly publisher: string; readonly sources: number }[];
	readonly date_span: { readonly oldest: string | null; readonly newest: string | null };
	readonly undated: number;
}

const PUBLISHERS_TOLD = 10;

export function profileSources(sentences: readonly CitedSentence[]): SourceProfile {
	const tiers = { "human-reviewed": 0, "machine-confirmed": 0, unverified: 0 };
	for (const { concept } of sentences) tiers[concept.trust] += 1;
	const all = sentences.flatMap(({ sources }) => sources);
	const distinct = [...new Map(all.map((source) => [source.sourceUrl, source])).values()];
	const groups = groupSources(distinct);
	return {
		tiers,
		sources: distinct.length,
		independent_groups: groups.length,
		publishers: groups
			.map(({ publisher, sources }) => ({ publisher, sources: sources.length }))
			.sort((a, b) => b.sources - a.sources)
			.slice(0, PUBLISHERS_TOLD),
		date_span: daysOf(distinct.map(({ publishedAt }) => publishedAt)),
		undated: distinct.filter(({ publishedAt }) => publishedAt === undefined).length,
	};
}
