import type { Found } from "./found-concepts.js";
import { type HeldTerms, headingTermsOf } from "./heading-terms.js";
import type { AnswerSigns } from "./judge.js";
import {
	coverageByTerms,
	coverageOf,
	isMissingIdentifier,
	knownShareOf,
	shareIn,
	type WeighedWord,
} from "./query-coverage.js";
import { namesOf } from "./tokenizer.js";
import { backgroundOf } from "./vector-background.js";
import { rarityIn } from "./word-rarity.js";

/** What covers a query may be spread over so many rows. */
const FIRST_ROWS = 3;
/** Rows this close to the best one are as good; as many of them leave open which one was meant. */
const RIVAL_SHARE = 0.9;
const RIVALS_MIN = 3;
const AMBIGUOUS_WORDS = 2;
/** Few rows hold names that weigh so much together: one rare name, or two common ones. */
const RARE_NAMES_WEIGHT = 2;
/** BM25 of a word that says all it can: impacts end near 1.9. */
const FULL_IMPACT = 2;
/** Weight of what no searched graph knows, from the commonest words of the language to the rarest. */
const UNKNOWN_WEIGHT = { least: 1, most: 3, rareFrom: 0.5 } as const;
/** Cosines between unrelated texts where a graph is too small to tell: known of one model only. */
const USUAL_BACKGROUND = { model: "bundled", mean: 0.25, spread: 0.11 } as const;

/**
 * What speaks for the best of the rows. `weighed` are the query's subject words as the searched graphs know them, `commonWords`
 * the words of the language, the commonest first.
 */
export function readSigns(
	weighed: readonly WeighedWord[],
	rows: readonly Found[],
	commonWords: ReadonlySet<string> = new Set(),
): AnswerSigns {
	const words = weighed.map((one) => weighUnknown(one, commonWords));
	const [best] = rows;
	const common = {
		subjectWords: best ? words.length : 0,
		known: knownShareOf(words),
		lacksIdentifier: words.some(isMissingIdentifier),
		lacksName: lackOfName(words, commonWords),
	};
	if (!best) {
		const none = { coverage: 0, headingCoverage: 0, likeness: 0, evidence: 0, holdsName: 0 };
		return {
			...common,
			...none,
			closeness: undefined,
			isNamed: false,
			isAboutName: false,
			isAmbiguous: false,
		};
	}
	const { slot, concept } = best;
	const headingTerms = headingTermsOf(concept);
	const total = words.reduce((sum, { weight }) => sum + weight, 0);
	return {
		...common,
		coverage: coverageOf(words, slot.scope, slot.concept),
		headingCoverage: coverageByTerms(words, headingTerms),
		likeness: total > 0 ? Math.min(1, slot.lexical / (FULL_IMPACT * total)) : 0,
		evidence: coveredWeight(words, rows.slice(0, FIRST_ROWS)),
		closeness: closenessOf(best),
		holdsName: heldName(words, best),
		isNamed: best.isNamed,
		isAboutName: isAboutName(words, headingTerms),
		isAmbiguous: isAmbiguous(words, rows),
	};
}

function weighUnknown(one: WeighedWord, commonWords: ReadonlySet<string>): WeighedWord {
	const rarity = one.knownShare > 0 ? undefined : rarityIn(commonWords, one.word);
	if (rarity === undefined) return one;
	const { least, most, rareFrom } = UNKNOWN_WEIGHT;
	return { ...one, weight: least + (most - least) * Math.min(1, rarity / rareFrom) };
}

/** 1 when a word written as a name is known to nobody, 0.5 when a word is that not even the language has, else 0. */
function lackOfName(words: readonly WeighedWord[], commonWords: ReadonlySet<string>): number {
	const unknown = words.filter(({ isKnown }) => !isKnown);
	if (unknown.some(({ isName }) => isName)) return 1;
	return unknown.some(({ word }) => rarityIn(commonWords, word) === 1) ? 0.5 : 0;
}

/** How rare the rarest name is that the row holds, 0..1. */
function heldName(words: readonly WeighedWord[], { slot: { scope, concept } }: Found): number {
	const held = words.filter((one) => isAnyName(one) && shareIn(one, scope, concept) === 1);
	const { least, most } = UNKNOWN_WEIGHT;
	return Math.max(0, ...held.map(({ weight }) => (weight - least) / (most - least)));
}

/** True when the row's title, aliases, tags or summary hold names in the query that few rows hold together. */
function isAboutName(words: readonly WeighedWord[], headingTerms: HeldTerms): boolean {
	const held = words.filter(
		(one) => isAnyName(one) && namesOf(one.word).some((term) => headingTerms.has(term)),
	);
	return held.reduce((sum, { weight }) => sum + weight, 0) >= RARE_NAMES_WEIGHT;
}

function isAnyName({ isName, word }: WeighedWord): boolean {
	return isName || word.isIdentifier || word.joined.length > 0;
}

/** Weight of the words that one of the rows covers. */
function coveredWeight(words: readonly WeighedWord[], rows: readonly Found[]): number {
	let covered = 0;
	for (const one of words) {
		let most = 0;
		for (const { slot } of rows) most = Math.max(most, shareIn(one, slot.scope, slot.concept));
		covered += one.weight * most;
	}
	return covered;
}

/** Standard deviations by which the row is closer to the query than unrelated texts are to each other; undefined where nobody knows. */
function closenessOf({ slot: { cosine, scope } }: Found): number | undefined {
	if (cosine === undefined) return undefined;
	const isUsual = scope.segment.vectors?.embedder.id === USUAL_BACKGROUND.model;
	const background = backgroundOf(scope.graphVectors) ?? (isUsual ? USUAL_BACKGROUND : undefined);
	return background && (cosine - background.mean) / background.spread;
}

function isAmbiguous(words: readonly WeighedWord[], rows: readonly Found[]): boolean {
	const [best] = rows;
	if (!best || best.isNamed || words.length > AMBIGUOUS_WORDS) return false;
	if (words.some(({ word }) => word.isIdentifier || word.joined.length > 0)) return false;
	return rows.filter(({ score }) => score >= RIVAL_SHARE * best.score).length >= RIVALS_MIN;
}
