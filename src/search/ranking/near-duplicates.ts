import { memoizeByObject } from "../../kernel/kernel.js";
import type { Concept } from "../../knowledge/knowledge.js";
import { toPlainText } from "../lexical/concept-text.js";
import { termsOf, tokenize, type Word } from "../lexical/tokenizer.js";

/** A row as far as its likeness with another goes. */
export interface ComparableRow {
	readonly concept: Concept;
	readonly lexicalShare: number;
	readonly cosine: number | undefined;
	/** The numbers in its title, in order. */
	readonly numbers: string;
}

export function toComparable(row: Omit<ComparableRow, "numbers">): ComparableRow {
	const { concept, lexicalShare, cosine } = row;
	const numbers = concept.title.match(/\d+/g)?.join(" ") ?? "";
	return { concept, lexicalShare, cosine, numbers };
}

/** Share of words, and of runs of three words, that texts which say the same have in common. */
const SAME_HEADING = 0.8;
const SAME_BODY = 0.6;
/** Under one title and from one source, less is enough. */
const SAME_SUBJECT_HEADING = 0.5;
/** Texts that say the same match a query alike: rows further apart are not compared. */
const MOST_APART = { lexicalShare: 0.15, cosine: 0.06 } as const;
const RUN_WORDS = 3;
const HAS_NUMBER = /\p{N}/u;
const COMPARED_WORDS = 400;

/**
 * True when both rows say the same in nearly the same words. Never for concepts that name other numbers or identifiers:
 * EIP-2612 and EIP-3009, versions 4 and 7.
 */
export function saysTheSame(one: ComparableRow, other: ComparableRow): boolean {
	if (one.numbers !== other.numbers || !matchAlike(one, other)) return false;
	if (!isTitledAlike(one.concept, other.concept)) return false;
	const [a, b] = [headingOf(one.concept), headingOf(other.concept)];
	if (!isSameSet(a.identifiers, b.identifiers)) return false;
	const likeness = jaccard(a.terms, b.terms);
	if (likeness < SAME_SUBJECT_HEADING) return false;
	if (isSameSubject(one.concept, other.concept)) return true;
	if (likeness < SAME_HEADING) return false;
	const [body, otherBody] = [bodyOf(one.concept), bodyOf(other.concept)];
	return (
		isSameSet(body.numbers, otherBody.numbers) && jaccard(body.runs, otherBody.runs) >= SAME_BODY
	);
}

function matchAlike(one: ComparableRow, other: ComparableRow): boolean {
	return (
		Math.abs(one.lexicalShare - other.lexicalShare) <= MOST_APART.lexicalShare &&
		Math.abs((one.cosine ?? 0) - (other.cosine ?? 0)) <= MOST_APART.cosine
	);
}

/** Cheaply, for most pairs end here: a word in common. */
function isTitledAlike({ title: one }: Concept, { title: other }: Concept): boolean {
	if (one === other) return true;
	const words = other.toLowerCase().split(" ");
	return one
		.toLowerCase()
		.split(" ")
		.some((word) => words.includes(word));
}

function isSameSubject(one: Concept, other: Concept): boolean {
	if (one.title.toLowerCase() !== other.title.toLowerCase()) return false;
	const sources = new Set(one.evidence.map(({ sourceUrl }) => sourceUrl));
	return other.evidence.some(({ sourceUrl }) => sources.has(sourceUrl));
}

/** The terms of a concept's title and summary; identifiers are those of its names with a number in them. */
const headingOf = memoizeByObject(({ title, summary, aliases }: Concept) => {
	const words = tokenize(`${title}. ${summary}`).filter(({ isStopWord }) => !isStopWord);
	const named = [...words, ...tokenize(aliases.join(". "))];
	const terms = new Set(words.map(({ whole }) => whole));
	return { terms, identifiers: new Set(named.flatMap(numbersOf)) };
});

function numbersOf(word: Word): readonly string[] {
	return termsOf(word).filter((term) => HAS_NUMBER.test(term));
}

/** Runs of words, and words with a number in them, of the beginning of a concept's body. */
const bodyOf = memoizeByObject(({ body }: Concept) => {
	const words =
		toPlainText(body)
			.toLowerCase()
			.match(/[\p{L}\p{N}]+/gu) ?? [];
	const compared = words.slice(0, COMPARED_WORDS);
	const runs = compared.map((_, start) => compared.slice(start, start + RUN_WORDS).join(" "));
	const numbers = compared.filter((word) => HAS_NUMBER.test(word));
	return { runs: new Set(runs), numbers: new Set(numbers) };
});

/** Size of the intersection over that of the union; 1 for two empty sets. */
function jaccard(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
	let common = 0;
	for (const element of one) if (other.has(element)) common++;
	const all = one.size + other.size - common;
	return all === 0 ? 1 : common / all;
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
	return one.size === other.size && jaccard(one, other) === 1;
}
