import { contentWords, coverageOf } from "../../../src/evidence/evidence.js";
import { cosineOf, type ScoredPassage } from "./passage-scoring.js";
import type { QuestionPart } from "./question-reading.js";

/**
 * A passage less likely than this, and one less likely than this share of the likeliest, is not shown: a budget is never filled for its own
 * sake. They hold for so many tokens; who asks for more wants to know more, so both fall with the root of what is asked for.
 */
const LEAST = 0.12;
const LEAST_SHARE = 0.3;
const LEAST_TOKENS = 400;
/** How much its length counts against a passage: gain / tokens ^ LENGTH. */
const LENGTH = 0.3;
/** How much being like what is chosen already counts against a passage, from this cosine on. */
const ALIKE_FROM = 0.7;
/** Share of its words that another passage holds from which a passage says nothing new. */
const HELD_MOST = 0.75;

/**
 * Passages that answer the parts of a question together within some tokens, the first chosen first: greedy by gain over
 * f(S) = Σ weight · √(Σ likelihood), monotone and submodular, so that a second passage for a part counts less than the first for another;
 * what is like a chosen one counts less, and what repeats it nothing.
 */
export function selectPassages(
	parts: readonly QuestionPart[],
	scored: readonly ScoredPassage[],
	tokens: number,
): readonly ScoredPassage[] {
	const most = Math.max(0, ...scored.flatMap(({ answers }) => answers));
	const least = Math.max(LEAST, LEAST_SHARE * most) * Math.sqrt(Math.min(1, LEAST_TOKENS / tokens));
	const likely = scored.filter(({ answers }) => Math.max(...answers) >= least);
	let rest = likely.map((one): Choosable => ({ one, ...wordsOf(one), likeness: 0 }));
	const chosen: ScoredPassage[] = [];
	const sums = parts.map(() => 0);
	const worthOf = ({ one, likeness }: Choosable) =>
		(gainOf(parts, sums, one) * (1 - likeness)) / tokensOf(one) ** LENGTH;
	for (let left = tokens; rest.length > 0; ) {
		const best = bestOf(
			rest.filter(({ one }) => tokensOf(one) <= left),
			worthOf,
		);
		if (!best) break;
		chosen.push(best.one);
		left -= tokensOf(best.one);
		for (const part of sums.keys()) sums[part] = (sums[part] ?? 0) + (best.one.answers[part] ?? 0);
		rest = rest
			.filter((other) => other !== best)
			.map((other) => ({ ...other, likeness: Math.max(other.likeness, likenessOf(other, best)) }));
	}
	return chosen;
}

/** A passage that may be chosen, and how much it is like what is chosen already, 0..1. */
interface Choosable {
	readonly one: ScoredPassage;
	readonly words: readonly (readonly string[])[];
	readonly terms: ReadonlySet<string>;
	readonly likeness: number;
}

function wordsOf({ passage }: ScoredPassage): Pick<Choosable, "words" | "terms"> {
	const words = contentWords(passage.text);
	return { words, terms: new Set(words.flat()) };
}

interface PrintedPassage {
	readonly passage: { readonly text: string; readonly concept: { readonly title: string } };
}

/** Tokens that a passage takes where it is printed under its title, at some 4 characters each. */
export function tokensOf({ passage: { text, concept } }: PrintedPassage): number {
	return Math.ceil((text.length + concept.title.length + MARKS_CHARS) / CHARS_PER_TOKEN);
}

const CHARS_PER_TOKEN = 4;
const MARKS_CHARS = 8;

/** The one that is worth most; undefined where none is worth anything. */
function bestOf(
	items: readonly Choosable[],
	worthOf: (item: Choosable) => number,
): Choosable | undefined {
	let best: Choosable | undefined;
	let most = 0;
	for (const item of items) {
		const worth = worthOf(item);
		if (worth > most) [best, most] = [item, worth];
	}
	return best;
}

function gainOf(
	parts: readonly QuestionPart[],
	sums: readonly number[],
	{ answers }: ScoredPassage,
): number {
	let gain = 0;
	for (const [part, { weight }] of parts.entries()) {
		const sum = sums[part] ?? 0;
		gain += weight * (Math.sqrt(sum + (answers[part] ?? 0)) - Math.sqrt(sum));
	}
	return gain;
}

/** 1 where the other one holds what a passage says; 0 where they are not alike. */
function likenessOf({ one, words }: Choosable, other: Choosable): number {
	if (coverageOf(words, other.terms) >= HELD_MOST) return 1;
	const cosine = cosineOf(one.vector, other.one.vector);
	return Math.max(0, Math.min(1, (cosine - ALIKE_FROM) / (1 - ALIKE_FROM)));
}
