import type { DraftSentence } from "./citation-gate.js";
import type { CitedSentence } from "./cited-sentences.js";
import { contentTerms, contentWords, coverageOf } from "./content-words.js";
import type { Writer, WritingTask } from "./writer.js";

/** How much being like what is chosen already counts against a sentence (maximal marginal relevance). */
const SAMENESS = 0.5;
/** What a sentence loses by its rank among those offered, from first to last. */
const RANK_SHARE = 0.5;
/** Sentences looked at: the best of what was offered. */
const LOOKED_AT = 60;

/**
 * Quotes the sentences that say most about the question and least of the same: maximal marginal relevance (Carbonell and
 * Goldstein 1998) over shared content words. What it quotes stands in the order of its choice, each sentence word for word.
 */
export const extractiveWriter: Writer = {
	name: "extractive",
	draft: async (task) => chooseSentences(task).map(toDraft),
};

/** The sentences that would be quoted, best first. */
export function chooseSentences({
	question,
	offered,
	sentencesMax,
}: Pick<WritingTask, "question" | "offered" | "sentencesMax">): readonly CitedSentence[] {
	const asked = contentWords(question);
	const candidates = offered.slice(0, LOOKED_AT).map((sentence, rank) => {
		const words = contentWords(sentence.text);
		const terms = new Set(words.flat());
		const titleTerms = contentTerms(sentence.concept.title);
		const covered = coverageOf(asked, new Set([...terms, ...titleTerms]));
		const late = (RANK_SHARE * rank) / Math.max(1, Math.min(LOOKED_AT, offered.length));
		return { sentence, words, terms, relevance: covered + 1 - late };
	});
	const chosen: typeof candidates = [];
	const rest = new Set(candidates);
	while (chosen.length < sentencesMax && rest.size > 0) {
		let best: (typeof candidates)[number] | undefined;
		let bestScore = Number.NEGATIVE_INFINITY;
		for (const candidate of rest) {
			const alike = Math.max(0, ...chosen.map(({ terms }) => coverageOf(candidate.words, terms)));
			const score = candidate.relevance - SAMENESS * 2 * alike;
			if (score > bestScore) [best, bestScore] = [candidate, score];
		}
		if (!best) break;
		rest.delete(best);
		chosen.push(best);
	}
	return chosen.map(({ sentence }) => sentence);
}

function toDraft({ text, evidenceId }: CitedSentence): DraftSentence {
	return { text, evidenceIds: [evidenceId] };
}
