import type { TrustTier } from "../../../src/contract/contract.js";
import { type CitedSentence, contentWords, jaccard } from "../../../src/evidence/evidence.js";
import { groupSources } from "./independent-sources.js";

/** Sentences that say the same thing; the first says it best. */
export interface FindingCluster {
	readonly sentences: readonly [CitedSentence, ...CitedSentence[]];
}

/** Share of words two sentences have in common (Jaccard) from which they say the same. */
const SAME_SHARE = 0.5;

/** Puts sentences that say the same together, in the order they were given: each joins the first cluster it is like. */
export function clusterSentences(sentences: readonly CitedSentence[]): readonly FindingCluster[] {
	const clusters: { terms: ReadonlySet<string>; sentences: [CitedSentence, ...CitedSentence[]] }[] =
		[];
	for (const sentence of sentences) {
		const terms = new Set(contentWords(sentence.text).map(([first = ""]) => first));
		const alike = clusters.find((cluster) => jaccard(terms, cluster.terms) >= SAME_SHARE);
		if (alike) alike.sentences.push(sentence);
		else clusters.push({ terms, sentences: [sentence] });
	}
	return clusters;
}

/** How far one independent source of each tier of trust is believed by itself. */
const BELIEF: Readonly<Record<TrustTier, number>> = {
	"human-reviewed": 0.7,
	"machine-confirmed": 0.6,
	unverified: 0.5,
};
const STALE_SHARE = 0.8;
const CONTRADICTED_SHARE = 0.6;
const CONFIDENCE_MAX = 0.95;

/**
 * How well a finding is carried, 0..1: 1 − Π(1 − belief) over independent groups of its sources (noisy-or, Pearl 1988), with
 * the belief of the least trusted concept; × 0.8 where a concept is past the day it was to be checked again, × 0.6 where other evidence
 * contradicts it; at most 0.95. An order, no calibrated probability.
 */
export function confidenceOfFinding(
	{ sentences }: FindingCluster,
	{ today, isContradicted }: { readonly today: string; readonly isContradicted: boolean },
): number {
	const groups = groupSources(sentences.flatMap(({ sources }) => sources)).length;
	const belief = Math.min(...sentences.map(({ concept }) => BELIEF[concept.trust]));
	const isStale = sentences.some(({ concept }) => (concept.staleAfter ?? "9999") < today);
	const carried = 1 - (1 - belief) ** Math.max(1, groups);
	const share = (isStale ? STALE_SHARE : 1) * (isContradicted ? CONTRADICTED_SHARE : 1);
	return Math.round(Math.min(CONFIDENCE_MAX, carried * share) * 100) / 100;
}
