import { memoizeByObject } from "../../kernel/kernel.js";
import { type Concept, findConcept } from "../../knowledge/knowledge.js";
import { readsAlike } from "../index/segment.js";
import { fileNameOf } from "../lexical/concept-text.js";
import { impactWithin, type LexicalIndex, postingsOf } from "../lexical/lexical-index.js";
import { coversAll, type WeighedWord } from "../lexical/query-coverage.js";
import { namesOf, termsOf, tokenize, type Word } from "../lexical/tokenizer.js";
import type { RankedSlot } from "./ranking.js";

/** A ranked slot with the concept it stands for. */
export interface Found {
	readonly slot: RankedSlot;
	readonly concept: Concept;
	readonly score: number;
	readonly isNamed: boolean;
	/** How likely it answers, by the judge, 0..1; undefined where it was not read. */
	readonly answers?: number | undefined;
}

/** Who asks for a thing by its name gets that thing first; below it, and among several of that name, relevance decides. */
export function namedFirst(
	ranked: readonly RankedSlot[],
	weighed: readonly WeighedWord[],
): readonly Found[] {
	const subject = weighed.map(({ word }) => word);
	const canBeName =
		subject.length > 0 &&
		subject.length <= MAX_NAME_WORDS &&
		weighed.every(({ isKnown }) => isKnown);
	const mayHoldAll = canBeName ? createGlance(weighed) : undefined;
	const found: Found[] = [];
	for (const slot of ranked) {
		const concept = conceptOf(slot);
		if (concept === undefined) continue; // Not "falsy": that would fetch every row's concept from memory.
		// Names are indexed, so that only a concept with all the words can be called by them.
		const isNamed =
			mayHoldAll?.(slot) === true &&
			coversAll(weighed, slot.scope, slot.concept) &&
			isNameOf(subject, concept);
		found.push({ slot, concept, isNamed, score: slot.score });
	}
	if (!found.some(({ isNamed }) => isNamed)) return found;
	const named = found.filter(({ isNamed }) => isNamed);
	return [
		...named.map((row) => ({ ...row, score: (1 + row.score) / 2 })),
		...found.filter(({ isNamed }) => !isNamed).map((row) => ({ ...row, score: row.score / 2 })),
	];
}

/** A first look at whether a row's text may hold every one of the words: at the rarest that has one term and no other reading. */
function createGlance(weighed: readonly WeighedWord[]): (slot: RankedSlot) => boolean {
	let rarest: WeighedWord | undefined;
	for (const one of weighed) {
		if (one.weight > (rarest?.weight ?? 0) && hasOneTerm(one.word)) rarest = one;
	}
	if (!rarest) return ({ lexical }) => lexical > 0;
	const { whole } = rarest.word;
	const postings = new Map<LexicalIndex, readonly [from: number, to: number]>();
	return ({ lexical, scope: { index }, concept }) => {
		if (lexical === 0) return false;
		let range = postings.get(index);
		if (!range) {
			range = postingsOf(index, whole);
			postings.set(index, range);
		}
		return impactWithin(index, concept, range[0], range[1]) > 0;
	};
}

function hasOneTerm({ parts, joined, series, alternatives }: Word): boolean {
	return parts.length + joined.length + series.length + alternatives.length === 0;
}

/**
 * The caller's concept; undefined when the caller's version has it no more, has it with another text than the one that matched,
 * or has it so that it does not pass the filter.
 */
function conceptOf({ scope, concept }: RankedSlot): Concept | undefined {
	const indexed = scope.concepts[concept];
	if (scope.graph === scope.indexed || indexed === undefined) return indexed;
	const own = findConcept(scope.graph, indexed.id);
	if (!own || own === indexed) return own;
	return readsAlike(indexed, own) && scope.passes(own) ? own : undefined;
}

/** A name is called when the query holds this share of its words and nothing besides. */
const NAME_SHARE = 0.6;
/** Longer queries are questions. */
const MAX_NAME_WORDS = 8;
const BEGINNING_CHARS = 2;
const PLAIN_TEXT = /^[\x20-\x7e]*$/;
const PLAIN_WORD = /^[a-z0-9]+$/;
const NAME_BREAK = /[:;,–—()]|\s-\s/;

/**
 * True when the query's subject words are, in essence, one name of the concept: its title or a part of it, an alias,
 * or the name of its file.
 */
export function isNameOf(subject: readonly Word[], concept: Concept): boolean {
	if (subject.length === 0 || subject.length > MAX_NAME_WORDS) return false;
	if (lacksBeginnings(subject, concept)) return false;
	const asked = new Set(subject.flatMap(termsOf));
	return conceptNames(concept).some(({ words, terms }) => {
		if (!subject.every((word) => namesOf(word).some((term) => terms.has(term)))) return false;
		const called = words.filter((word) => namesOf(word).some((term) => asked.has(term)));
		return called.length / words.length >= NAME_SHARE;
	});
}

/** Cheap, and never wrong where it says yes: no stem changes how a word begins. */
function lacksBeginnings(subject: readonly Word[], { title, aliases, id }: Concept): boolean {
	const text = `${title} ${aliases.join(" ")} ${id}`.toLowerCase();
	return (
		PLAIN_TEXT.test(text) &&
		subject.some(({ surface }) => {
			const beginning = surface.slice(0, BEGINNING_CHARS);
			return PLAIN_WORD.test(beginning) && !text.includes(beginning);
		})
	);
}

interface Name {
	readonly words: readonly Word[];
	readonly terms: ReadonlySet<string>;
}

const conceptNames = memoizeByObject((concept: Concept): readonly Name[] => {
	const texts = new Set([
		concept.title,
		...concept.title.split(NAME_BREAK),
		...concept.aliases,
		fileNameOf(concept),
	]);
	return [...texts]
		.map((text) => tokenize(text).filter((word) => !word.isStopWord))
		.filter((words) => words.length > 0)
		.map((words) => ({ words, terms: new Set(words.flatMap(termsOf)) }));
});
