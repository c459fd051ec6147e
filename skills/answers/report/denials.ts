import { type CitedSentence, titled } from "../../../src/evidence/evidence.js";
import { type PairJudge, readPairs } from "../../../src/search/search.js";
import { lackingOf, objectToRefutation, readFacts } from "../../verify/verify.js";

/** Two sentences that may speak of the same. */
export interface SentencePair<S extends CitedSentence = CitedSentence> {
	readonly one: S;
	readonly other: S;
}

/** Two sentences that cannot both hold. */
export interface Denial<S extends CitedSentence = CitedSentence> extends SentencePair<S> {
	/** How sure the less sure of both readings is, 0..1. */
	readonly score: number;
	/** What speaks for it, as half sentences. */
	readonly reasons: readonly string[];
}

/** From which reading on one sentence denies another: no one asked for a verdict, so only sure ones are reported. */
const DENIES_LEAST = 0.86;
/** Pairs read at once; two readings each. */
const PAIRS_MAX = 48;

/**
 * Of the first pairs those of which each sentence denies the other, and whose names each other has; surest first. Without a
 * judge, and where it fails, none is known.
 */
export async function findDenials<S extends CitedSentence>(
	judge: PairJudge | undefined,
	pairs: readonly SentencePair<S>[],
	signal: AbortSignal,
): Promise<readonly Denial<S>[]> {
	const asked = pairs.slice(0, PAIRS_MAX);
	const both = asked.flatMap(({ one, other }) => [toPair(one, other), toPair(other, one)]);
	const { readings = [] } = await readPairs(judge, both, signal);
	const denials = asked.flatMap((pair, at) => {
		const [there, back] = readings.slice(2 * at, 2 * at + 2);
		const score = Math.min(there?.refutes ?? 0, back?.refutes ?? 0);
		const reasons = score < DENIES_LEAST ? [] : reasonsOf(pair);
		return reasons.length === 0 ? [] : [{ ...pair, score: Math.round(score * 100) / 100, reasons }];
	});
	return denials.sort((a, b) => b.score - a.score);
}

/** The passage has the title of what it speaks of: sentences leave that out. */
function toPair({ text }: CitedSentence, { concept, text: told }: CitedSentence) {
	return { text, passage: titled([concept.title], [told]) };
}

/** None where the sentences speak of different things. */
function reasonsOf({ one, other }: SentencePair): readonly string[] {
	const [here, there] = [readFacts(one.text), readFacts(other.text)];
	const [about, aboutOther] = [factsWithNames(one), factsWithNames(other)];
	const isOther = objectToRefutation(here, aboutOther) ?? objectToRefutation(there, about);
	if (isOther !== undefined) return [];
	const differing = [lackingOf(there, about), lackingOf(here, aboutOther)].map(([first]) => first);
	const [told, claimed] = differing;
	return told !== undefined && claimed !== undefined
		? [`says ${claimed} where the other says ${told}`]
		: ["denies what the other says"];
}

function factsWithNames({ text, concept }: CitedSentence) {
	return readFacts([text, concept.title, ...concept.aliases].join(" ; "));
}
