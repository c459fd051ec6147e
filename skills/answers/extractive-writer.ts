import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	leansOnBefore,
} from "../../src/evidence/evidence.js";
import type { DraftSentence, Writer, WritingTask } from "./writer/writing-task.js";

/** What counts for a sentence: the question's words it holds itself, those it holds with its title, and its place among those offered. */
const WEIGHTS = { own: 1, titled: 0.5, rank: 0.5 } as const;
/** How much being like what is chosen already counts against a sentence (maximal marginal relevance). */
const SAMENESS = 0.8;
/** A summary says by itself what its concept is; a sentence that begins with "It" does not say what it speaks of. */
const SUMMARY_BONUS = 0.25;
const LEANING_LOSS = 0.5;
/** So does one that shares no word with the name of what it is about. */
const NAMELESS_LOSS = 0.3;
/** Sentences looked at: the best of what was offered. */
const LOOKED_AT = 80;

/**
 * Quotes the sentences that say most about the question and least of the same: maximal marginal relevance (Carbonell and
 * Goldstein 1998) over shared content words. What it quotes stands in the order of its choice, each sentence word for word.
 */
export const extractiveWriter: Writer = {
	name: "extractive",
	draft: async (task) => quoteBest(task),
};

/** Its draft. */
export function quoteBest(task: WritingTask): readonly DraftSentence[] {
	return chooseSentences(task).map(({ text, evidenceId }) => ({ text, evidenceIds: [evidenceId] }));
}

interface Candidate {
	readonly sentence: CitedSentence;
	readonly words: readonly (readonly string[])[];
	readonly terms: ReadonlySet<string>;
	readonly relevance: number;
}

/** The sentences that would be quoted, best first; those that can be read alone before those that lean on others. */
export function chooseSentences({
	question,
	offered,
	sentencesMax,
}: Pick<WritingTask, "question" | "offered" | "sentencesMax">): readonly CitedSentence[] {
	const rest = new Set(toCandidates(question, offered.slice(0, LOOKED_AT)));
	const chosen: Candidate[] = [];
	while (chosen.length < sentencesMax && rest.size > 0) {
		let best: Candidate | undefined;
		let bestScore = Number.NEGATIVE_INFINITY;
		for (const candidate of rest) {
			const alike = Math.max(0, ...chosen.map(({ terms }) => coverageOf(candidate.words, terms)));
			const score = candidate.relevance - SAMENESS * alike;
			if (score > bestScore) [best, bestScore] = [candidate, score];
		}
		if (!best) break;
		rest.delete(best);
		chosen.push(best);
	}
	return chosen.map(({ sentence }) => sentence);
}

function toCandidates(question: string, offered: readonly CitedSentence[]): readonly Candidate[] {
	const read = offered.map((sentence) => {
		const words = contentWords(sentence.text);
		return { sentence, words, terms: new Set(words.flat()) };
	});
	const asked = weighWords(contentWords(question), read);
	return read.map((one, rank) => {
		const { text, place, concept } = one.sentence;
		const title = contentTerms(concept.title);
		const titled = new Set([...one.terms, ...title]);
		const isNamed = [...title].some((term) => one.terms.has(term));
		const relevance =
			WEIGHTS.own * shareOf(asked, one.terms) +
			WEIGHTS.titled * shareOf(asked, titled) +
			WEIGHTS.rank * (1 - rank / read.length) +
			(place === 0 ? SUMMARY_BONUS : 0) -
			(leansOnBefore(text) ? LEANING_LOSS : 0) -
			(isNamed ? 0 : NAMELESS_LOSS);
		return { ...one, relevance };
	});
}

type WeighedWord = { readonly word: readonly string[]; readonly weight: number };

/** Words of the question by how few of those offered hold them (inverse document frequency); a word that none holds asks for nothing here. */
function weighWords(
	words: readonly (readonly string[])[],
	offered: readonly { readonly terms: ReadonlySet<string> }[],
): readonly WeighedWord[] {
	return words.flatMap((word) => {
		const held = offered.filter(({ terms }) => word.some((term) => terms.has(term))).length;
		return held === 0 ? [] : [{ word, weight: Math.log(1 + offered.length / held) }];
	});
}

function shareOf(asked: readonly WeighedWord[], terms: ReadonlySet<string>): number {
	let [held, all] = [0, 0];
	for (const { word, weight } of asked) {
		all += weight;
		if (word.some((term) => terms.has(term))) held += weight;
	}
	return all === 0 ? 0 : held / all;
}
