import {
	contentTerms,
	contentWords,
	coverageOf,
	type GatheredEvidence,
	type RankedSentence,
} from "../../src/evidence/evidence.js";
import type { WrittenSentence } from "./citation-gate.js";

/** Concepts that are ranked, or whose best sentence bears on the question, below these shares of the best ones stay out. */
const RANK_SHARE = 0.5;
const COVERAGE_SHARE = 0.7;

/** The sentences of concepts that are near enough to the best of what was found to be told beside it. */
export function relevantOf(
	question: string,
	{ concepts, sentences }: Pick<GatheredEvidence, "concepts" | "sentences">,
): readonly RankedSentence[] {
	const asked = contentWords(question);
	const [first] = concepts;
	const near = concepts.filter(({ score }) => score >= RANK_SHARE * (first?.score ?? 0));
	const covered = new Map(near.map(({ concept }) => [concept, 0]));
	for (const { text, concept } of sentences) {
		const known = covered.get(concept);
		if (known === undefined) continue;
		const terms = contentTerms([text, concept.title, ...concept.aliases].join("\n"));
		covered.set(concept, Math.max(known, coverageOf(asked, terms)));
	}
	const least = COVERAGE_SHARE * Math.max(0, ...covered.values());
	return sentences.filter(({ concept }) => (covered.get(concept) ?? -1) >= least);
}

/** Quotations concept by concept, that of the best one first, each concept's as it tells them. */
export function inReadingOrder(
	sentences: readonly WrittenSentence[],
	offered: readonly RankedSentence[],
): readonly WrittenSentence[] {
	const concepts = [...new Set(offered.map(({ concept }) => concept))];
	const placeOf = ({ evidence: [first] }: WrittenSentence) =>
		first ? [concepts.indexOf(first.concept), first.place] : [0, 0];
	return [...sentences].sort((a, b) => {
		const [[rank = 0, place = 0], [otherRank = 0, otherPlace = 0]] = [placeOf(a), placeOf(b)];
		return rank - otherRank || place - otherPlace;
	});
}
