import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	titled,
} from "../../src/evidence/evidence.js";
import { memoizeByObject } from "../../src/kernel/kernel.js";
import type { Concept } from "../../src/knowledge/knowledge.js";
import { cosineOf } from "../answers/answers.js";
import type { Brand } from "./brand-grouping.js";
import { type FoundName, usageOf } from "./brand-names.js";

/**
 * Who is meant by a name (docs/adr/0053): score = 1 − (1 − name)(1 − context), where context = σ of what the sentence and its document
 * say besides the name.
 */

/** How far a name says by itself who is meant. A common word says little, whatever its capital. */
const NAME = { domain: 0.95, ticker: 0.95, "legal name": 0.9, name: 0.7, common: 0.3 } as const;

/** Weights of the context's signs, set by hand on sentences of namesakes. */
const SIGNS = {
	/** For each unit of nearness to the brand's own document above the middle. */
	nearness: 10,
	/** Written as someone who does or has something, or with a capital amid a sentence. */
	acts: 2.2,
	amid: 1.6,
	/** A part of what may be another name. */
	part: -1,
	/** Another name, a domain, symbol, product or the maker of it in the same sentence, and elsewhere in the document. */
	inSentence: 2.5,
	inDocument: 1.6,
	/** The document links to the brand's own one. */
	linked: 2.5,
	/** The document has the word without a capital as well. */
	ordinary: -1.5,
} as const;
const NEARNESS_MIDDLE = 0.42;
/** Shares of words are lower than cosines of the same texts. */
const WORDS_FACTOR = 1.2;

/** What context a name that is a common word, or that several brands have, needs. */
export const CONTEXT_LEAST = 0.6;
/** How far the best of several brands of one name must be ahead. */
export const LEAD_LEAST = 0.1;

/** A name in a sentence, and what speaks for one brand. */
export interface Clues {
	readonly name: FoundName;
	/** Whether the name needs context: it is a common word, in the document or at large, or the name of several brands. */
	readonly isCommon: boolean;
	/** Sum of the signs beside nearness, as log odds. */
	readonly odds: number;
}

/** Without nearness: what needs no encoder. */
export function readClues(sentence: CitedSentence, name: FoundName, isCommon: boolean): Clues {
	const { brand } = name;
	const document = documentOf(sentence.concept);
	const clues = cluesOf(brand).filter((clue) => clue !== padded(name.form.text));
	const text = padded(sentence.text);
	const isOrdinary = name.form.words.length === 1 && document.lower.has(name.form.words[0] ?? "");
	const usage = usageOf(sentence.text, name);
	const signs = {
		acts: usage === "acts",
		amid: usage === "amid",
		part: usage === "part",
		inSentence: clues.some((clue) => text.includes(clue)),
		inDocument: clues.some((clue) => document.holds(clue)),
		linked: isLinked(sentence, brand),
		ordinary: isOrdinary && !name.isDistinct,
	};
	const { inSentence, ...rest } = signs;
	const counted = inSentence ? { ...rest, inSentence, inDocument: false } : rest;
	const odds = Object.entries(counted).reduce(
		(sum, [sign, holds]) => sum + (holds ? SIGNS[sign as keyof typeof SIGNS] : 0),
		0,
	);
	return { name, isCommon: isCommon || signs.ordinary, odds };
}

/** Words in lower case, with a space before and behind each. */
const padded = (text: string) =>
	` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim()} `;

const documentOf = memoizeByObject(({ title, summary, body }: Concept) => {
	const whole = `${title}\n${summary}\n${body}`;
	const lower = whole.match(/(?<![\p{L}\p{N}./@_-])\p{Ll}+(?![\p{L}\p{N}@_]|\.\p{L})/gu) ?? [];
	const text = padded(whole);
	const held = new Map<string, boolean>();
	const holds = (clue: string): boolean => {
		const known = held.get(clue) ?? text.includes(clue);
		held.set(clue, known);
		return known;
	};
	return { holds, lower: new Set(lower) };
});

const PADDING = 2;

/** Whatever tells one brand from its namesakes: legal names, domains, symbols, products, the maker. */
const cluesOf = memoizeByObject(({ nodes, products, maker }: Brand): readonly string[] => {
	const own = nodes.flatMap(({ identity: { legalName = "", domains, tickers } }) => [
		legalName,
		...domains,
		...tickers.filter(({ length }) => length > 2),
	]);
	const around = [...products, ...(maker ? [maker, ...maker.products] : [])].map(
		({ name }) => name,
	);
	return [...new Set([...own, ...around].map(padded))].filter((clue) => clue.length > PADDING + 2);
});

function isLinked({ graph, concept }: CitedSentence, { nodes }: Brand): boolean {
	return concept.edges.some(({ target }) =>
		nodes.some((node) => node.graph.record.id === graph.record.id && node.concept.id === target),
	);
}

/** Context 0..1; nearness undefined where it was not measured. */
export function contextOf({ odds }: Clues, nearness: number | undefined): number {
	const near = nearness === undefined ? 0 : SIGNS.nearness * (nearness - NEARNESS_MIDDLE);
	return 1 / (1 + Math.exp(-(odds + near)));
}

export function scoreOf({ name: { form }, isCommon }: Clues, context: number): number {
	return 1 - (1 - NAME[isCommon ? "common" : form.kind]) * (1 - context);
}

/** A sentence under its titles, as it is held against profiles; an encoder reads it so. */
export function textToCompare({ concept, heading, text }: CitedSentence): string {
	return titled([concept.title, heading ?? ""], [text]);
}

/** How near sentences are to what each brand's own document says, with vectors or, without, by shared words. */
export interface Profiles {
	/** In the units of a cosine. */
	nearnessTo(brand: Brand, text: string, vector: Float32Array | undefined): number;
}

/** Fewer brands say nothing of brands at all: the usual nearness to those stands in. */
const OTHERS_LEAST = 4;
const USUAL_MEAN = 0.1;

/** `vectors` has those of each brand's passages; an empty one has words compared. */
export function toProfiles(
	vectors: ReadonlyMap<Brand, readonly Float32Array[]>,
	textsOf: (brand: Brand) => readonly string[],
): Profiles {
	const termsOf = memoizeByObject((brand: Brand) => contentTerms(textsOf(brand).join("\n")));
	const nearest = (brand: Brand, vector: Float32Array) =>
		Math.max(0, ...(vectors.get(brand) ?? []).map((own) => cosineOf(own, vector)));
	return {
		nearnessTo(brand, text, vector) {
			if (!vector || vectors.size === 0) {
				const own = new Set(contentWords(brand.name).flat());
				const words = contentWords(text).filter((word) => !word.some((term) => own.has(term)));
				return words.length === 0 ? 0 : WORDS_FACTOR * coverageOf(words, termsOf(brand));
			}
			// What is near to many brands speaks of companies and products at all.
			const others = [...vectors.keys()].filter((other) => other !== brand);
			const sum = others.reduce((total, other) => total + nearest(other, vector), 0);
			const mean = others.length < OTHERS_LEAST ? USUAL_MEAN : sum / others.length;
			return nearest(brand, vector) + mean;
		},
	};
}
