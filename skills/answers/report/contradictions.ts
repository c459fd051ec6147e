import { type CitedSentence, contentWords } from "../../../src/evidence/evidence.js";
import type { Steps } from "../../../src/knowledge/knowledge.js";
import { compareReadings, readContext, readText } from "../../verify/verify.js";

/** Two sentences that cannot both hold, as far as rules can tell. */
export interface Contradiction<S extends CitedSentence = CitedSentence> {
	readonly one: S;
	readonly other: S;
	/** How sure it is that they speak of the same and differ, 0..1. */
	readonly score: number;
	/** What they differ in, as half sentences. */
	readonly reasons: readonly string[];
}

/**
 * Share of content words, numbers aside, that two sentences have in common (Jaccard) to be held against each other: sentences
 * worded otherwise speak of other sides of a thing more often than they contradict each other.
 */
const SAME_WORDS = 0.45;
const SHARED_LEAST = 3;
const SCORE_LEAST = 0.55;
/** Pairs that are compared, those that share most first come first; a comparison takes a fraction of a millisecond. */
const PAIRS_MAX = 4_000;

/**
 * Pairs of which each refutes the other by the comparator of claims (numbers with units, dates, negation, opposites,
 * quantifiers, names), surest first. Only pairs in nearly the same words are compared, PAIRS_MAX at most; what is
 * contradicted in other words is not found.
 */
export function* findContradictions<S extends CitedSentence>(
	sentences: readonly S[],
	most: number,
): Steps<readonly Contradiction<S>[]> {
	const found: Contradiction<S>[] = [];
	for (const { one, other } of comparable(sentences.map(toRead)).slice(0, PAIRS_MAX)) {
		yield;
		const contradiction = compare(one, other);
		if (contradiction) found.push(contradiction);
	}
	return found.sort((a, b) => b.score - a.score).slice(0, most);
}

type Read<S extends CitedSentence> = ReturnType<typeof toRead<S>>;

function toRead<S extends CitedSentence>(sentence: S) {
	const { text, concept } = sentence;
	const reading = readText(text);
	const terms = contentWords(text).map(([term = ""]) => term);
	return {
		sentence,
		text,
		terms: new Set(terms.filter((term) => !/^[\d.,]+$/.test(term))),
		reading,
		context: readContext({ names: [concept.title, ...concept.aliases.slice(0, 10)] }),
		/** Whom the sentence names first: as a rule, whom it speaks of. */
		subject: reading.names[0]?.text.toLowerCase(),
	};
}

/** Pairs that share enough words, those that share most first. */
function comparable<S extends CitedSentence>(read: readonly Read<S>[]) {
	return read
		.flatMap((one, place) =>
			read.slice(place + 1).map((other) => ({ one, other, shared: shareOf(one, other) })),
		)
		.filter(({ one, other, shared }) => shared >= SAME_WORDS && one.text !== other.text)
		.sort((a, b) => b.shared - a.shared);
}

function shareOf<S extends CitedSentence>(one: Read<S>, other: Read<S>): number {
	let shared = 0;
	for (const term of one.terms) if (other.terms.has(term)) shared += 1;
	return shared < SHARED_LEAST ? 0 : shared / (one.terms.size + other.terms.size - shared);
}

function compare<S extends CitedSentence>(one: Read<S>, other: Read<S>) {
	if (one.subject !== other.subject) return undefined;
	const there = compareReadings(one.reading, other.reading, other.context, []);
	if (there.stance !== "refutes" || there.score < SCORE_LEAST) return undefined;
	const back = compareReadings(other.reading, one.reading, one.context, []);
	if (back.stance !== "refutes" || back.score < SCORE_LEAST) return undefined;
	const score = Math.round(Math.min(there.score, back.score) * 100) / 100;
	return { one: one.sentence, other: other.sentence, score, reasons: there.reasons };
}
