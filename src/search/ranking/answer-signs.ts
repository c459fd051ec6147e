import type { SearchScope } from "../index/index-state.js";
import { rarityIn } from "../lexical/common-words.js";
import { type HeldTerms, headingTermsOf } from "../lexical/concept-text.js";
import {
	coverageBy,
	coverageByTerms,
	isMissingIdentifier,
	knownShareIn,
	shareIn,
	type WeighedWord,
} from "../lexical/query-coverage.js";
import { isWrittenIdentifier, namesOf } from "../lexical/tokenizer.js";
import type { AnswerSigns } from "./decision.js";
import type { Found } from "./found-concepts.js";
import type { QuestionBackground } from "./question-background.js";

/** The row that holds most of a query is looked for among so many: the best one may say it in other words. */
const FIRST_ROWS = 3;
/** Rows this close to the best one are as good; as many of them leave open which one was meant. */
const RIVAL_SHARE = 0.9;
const RIVALS_MIN = 3;
const AMBIGUOUS_WORDS = 2;
/** Few rows hold names that weigh so much together: one rare name, or two common ones. */
const RARE_NAMES_WEIGHT = 2;
/** How rare a word is taken to be that no list of words can know: a name of its kind, a number. */
const UNLISTED_RARITY = { identifier: 1, other: 0.5 } as const;
/** Weight of a word from the commonest of the language to the rarest; what no searched graph knows is rare from here on. */
const WORD_WEIGHT = { least: 1, most: 3, unknownRareFrom: 0.5 } as const;
const NO_WORDS: ReadonlySet<string> = new Set();

/** What signs are read by, besides the query's words and the rows. */
export interface SignContext {
	readonly scopes: readonly SearchScope[];
	/** Words of the language, the commonest first. */
	readonly commonWords?: ReadonlySet<string> | undefined;
	/** Of the best row's graph; undefined in keyword mode. */
	readonly background?: QuestionBackground | undefined;
}

/** What speaks for the best of the rows. `weighed` are the query's subject words as the searched graphs know them. */
export function readSigns(
	weighed: readonly WeighedWord[],
	rows: readonly Found[],
	{ scopes, commonWords = NO_WORDS, background }: SignContext,
): AnswerSigns {
	const words = commonWords.size > 0 ? weighed.map((one) => byRarity(one, commonWords)) : weighed;
	const [best] = rows;
	const common = {
		subjectWords: best ? words.length : 0,
		lacksIdentifier: words.some(isMissingIdentifier),
		lacksName: lackOfName(words, commonWords),
	};
	if (!best) return { ...common, ...NO_ROWS };
	const { slot, concept } = best;
	const { graphId } = slot.scope.segment;
	const own = scopes.filter(({ segment }) => segment.graphId === graphId);
	const headingTerms = headingTermsOf(concept);
	const held = words.map((one) => shareIn(one, slot.scope, slot.concept));
	return {
		...common,
		coverage: coverageBy(words, held),
		headingCoverage: coverageByTerms(words, headingTerms),
		known: knownShareIn(words, own),
		evidence: heldWeight(words, held, rows.slice(1, FIRST_ROWS)),
		rarity: heldRarity(words, held, commonWords),
		nearness: background && nearnessOf(rows, graphId, background),
		answers: likeliestOf(rows),
		isNamed: best.isNamed,
		isAboutName: isAboutName(weighed, headingTerms),
		isAmbiguous: isAmbiguous(words, rows),
	};
}

const NO_ROWS = {
	coverage: 0,
	headingCoverage: 0,
	known: 0,
	evidence: 0,
	rarity: 0,
	nearness: undefined,
	answers: undefined,
	isNamed: false,
	isAboutName: false,
	isAmbiguous: false,
} as const;

/**
 * A word weighed by how rare it is in the language, known to a graph or not: that many rows of a graph speak of a thing makes it no
 * worse an answer.
 */
function byRarity(one: WeighedWord, commonWords: ReadonlySet<string>): WeighedWord {
	const { least, most, unknownRareFrom } = WORD_WEIGHT;
	const rarity = rarityOf(one, commonWords) / (one.isKnown ? 1 : unknownRareFrom);
	return { ...one, weight: least + (most - least) * Math.min(1, rarity) };
}

function rarityOf(one: WeighedWord, commonWords: ReadonlySet<string>): number {
	const { identifier, other } = UNLISTED_RARITY;
	return rarityIn(commonWords, one.word) ?? (isWrittenIdentifier(one.word) ? identifier : other);
}

/** 1 when a word written as a name is known to no one, 0.5 when a word is that not even the language has, else 0. */
function lackOfName(words: readonly WeighedWord[], commonWords: ReadonlySet<string>): number {
	const unknown = words.filter(({ isKnown }) => !isKnown);
	if (unknown.some(({ isName }) => isName)) return 1;
	return unknown.some(({ word }) => rarityIn(commonWords, word) === 1) ? 0.5 : 0;
}

/** How rare in the language the words are that a row holds to these shares, summed. */
function heldRarity(
	words: readonly WeighedWord[],
	held: readonly number[],
	commonWords: ReadonlySet<string>,
): number {
	let rarity = 0;
	words.forEach((one, at) => {
		const share = held[at] ?? 0;
		if (share > 0) rarity += share * rarityOf(one, commonWords);
	});
	return rarity;
}

/** True when the row's title, aliases, tags or summary hold names in the query that few rows hold together. */
function isAboutName(words: readonly WeighedWord[], headingTerms: HeldTerms): boolean {
	const held = words.filter(
		({ word, isName }) =>
			(isName || isWrittenIdentifier(word)) && namesOf(word).some((term) => headingTerms.has(term)),
	);
	return held.reduce((sum, { weight }) => sum + weight, 0) >= RARE_NAMES_WEIGHT;
}

/** The greatest weight of the words that one row holds: the one that holds them to these shares, or one of the others. */
function heldWeight(
	words: readonly WeighedWord[],
	held: readonly number[],
	others: readonly Found[],
): number {
	let most = 0;
	words.forEach(({ weight }, at) => {
		most += weight * (held[at] ?? 0);
	});
	for (const { slot } of others) {
		let weight = 0;
		for (const one of words) weight += one.weight * shareIn(one, slot.scope, slot.concept);
		if (weight > most) most = weight;
	}
	return most;
}

/** The judge's highest reading; undefined where it has read none. */
function likeliestOf(rows: readonly Found[]): number | undefined {
	const readings = rows.flatMap(({ answers }) => answers ?? []);
	return readings.length > 0 ? Math.max(...readings) : undefined;
}

/** How far the closest row of a graph is above what comes closest to foreign questions, in their standard deviations. */
function nearnessOf(
	rows: readonly Found[],
	graphId: string,
	{ mean, spread }: QuestionBackground,
): number | undefined {
	let closest: number | undefined;
	for (const { slot } of rows) {
		if (slot.cosine === undefined || slot.scope.segment.graphId !== graphId) continue;
		if (closest === undefined || slot.cosine > closest) closest = slot.cosine;
	}
	return closest === undefined ? undefined : (closest - mean) / spread;
}

function isAmbiguous(words: readonly WeighedWord[], rows: readonly Found[]): boolean {
	const [best] = rows;
	if (!best || best.isNamed || words.length > AMBIGUOUS_WORDS) return false;
	if (words.some(({ word }) => isWrittenIdentifier(word))) return false;
	return rows.filter(({ score }) => score >= RIVAL_SHARE * best.score).length >= RIVALS_MIN;
}
