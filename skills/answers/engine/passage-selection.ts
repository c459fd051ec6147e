import { contentWords, coverageOf } from "../../../src/evidence/evidence.js";
import type { ScoredPassage } from "./passage-scoring.js";
import type { QuestionPart } from "./question-reading.js";

/** A passage less likely than this, and one less likely than this share of the likeliest, is not shown: a budget is never filled for its own sake. */
const LEAST = 0.12;
const LEAST_SHARE = 0.3;
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
	const least = Math.max(LEAST, LEAST_SHARE * most);
	let rest = scored.filter(({ answers }) => Math.max(...answers) >= least);
	const chosen: ScoredPassage[] = [];
	const sums = parts.map(() => 0);
	const worthOf = (one: ScoredPassage) =>
		(gainOf(parts, sums, one) * (1 - likenessTo(chosen, one))) / tokensOf(one) ** LENGTH;
	for (let left = tokens; rest.length > 0; ) {
		const fitting = rest.filter((one) => chosen.length === 0 || tokensOf(one) <= left);
		const best = bestOf(fitting, worthOf);
		if (!best) break;
		rest = rest.filter((one) => one !== best);
		chosen.push(best);
		left -= tokensOf(best);
		for (const part of sums.keys()) sums[part] = (sums[part] ?? 0) + (best.answers[part] ?? 0);
	}
	return chosen;
}

/** Tokens that a passage takes where it is printed under its title, at some 4 characters each. */
export function tokensOf({ passage: { text, concept } }: Pick<ScoredPassage, "passage">): number {
	return Math.ceil((text.length + concept.title.length + MARKS_CHARS) / CHARS_PER_TOKEN);
}

const CHARS_PER_TOKEN = 4;
const MARKS_CHARS = 8;

/** The one that is worth most; undefined where none is worth anything. */
function bestOf(
	items: readonly ScoredPassage[],
	worthOf: (one: ScoredPassage) => number,
): ScoredPassage | undefined {
	let best: ScoredPassage | undefined;
	let most = 0;
	for (const one of items) {
		const worth = worthOf(one);
		if (worth > most) [best, most] = [one, worth];
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

/** 1 where a chosen passage says the same; 0 where none is like it. */
function likenessTo(chosen: readonly ScoredPassage[], one: ScoredPassage): number {
	const words = contentWords(one.passage.text);
	let most = 0;
	for (const other of chosen) {
		const terms = new Set(contentWords(other.passage.text).flat());
		if (coverageOf(words, terms) >= HELD_MOST) return 1;
		const cosine = one.vector && other.vector ? dot(one.vector, other.vector) : 0;
		most = Math.max(most, (cosine - ALIKE_FROM) / (1 - ALIKE_FROM));
	}
	return Math.min(1, most);
}

function dot(one: Float32Array, other: Float32Array): number {
	let sum = 0;
	for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
	return sum;
}
