import type { Found } from "./found-concepts.js";
import { type HeldTerms, headingTermsOf } from "./heading-terms.js";
import type { SearchScope } from "./index-state.js";
import type { AnswerSigns } from "./judge.js";
import {
	coverageBy,
	coverageByTerms,
	isMissingIdentifier,
	knownShareIn,
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
/** The best row is compared with the row at this place, of the first ones and of all. */
const LEAD = { rows: 10, place: 5 } as const;
const STANDS_OUT_PLACE = 10;
const UNCLEAR_LEAD = 0.5;
/** How rare a word is taken to be that no list of words can know: a name of its kind, a number. */
const UNLISTED_RARITY = { identifier: 1, other: 0.5 } as const;
/** Weight of what no searched graph knows, from the commonest words of the language to the rarest. */
const UNKNOWN_WEIGHT = { least: 1, most: 3, rareFrom: 0.5 } as const;
/** Spread of the cosines between unrelated texts where a graph is too small to tell: known of one model only. */
const USUAL_BACKGROUND = { model: "bundled", spread: 0.11 } as const;
const NO_WORDS: ReadonlySet<string> = new Set();

/** Where the rows come from. */
export interface SignsPlace {
	readonly scopes: readonly SearchScope[];
	/** Words of the language, the commonest first. */
	readonly commonWords?: ReadonlySet<string> | undefined;
}

/** What speaks for the best of the rows. `weighed` are the query's subject words as the searched graphs know them. */
export function readSigns(
	weighed: readonly WeighedWord[],
	rows: readonly Found[],
	{ scopes, commonWords = NO_WORDS }: SignsPlace,
): AnswerSigns {
	const words = weighed.map((one) => weighUnknown(one, commonWords));
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
		evidence: coveredWeight(words, held, rows.slice(1, FIRST_ROWS)),
		rarity: heldRarity(words, held, commonWords),
		lead: leadOf(rows),
		standsOut: standingOut(rows, scopes),
		isNamed: best.isNamed,
		isAboutName: isAboutName(words, headingTerms),
		isAmbiguous: isAmbiguous(words, rows),
	};
}

const NO_ROWS = {
	coverage: 0,
	headingCoverage: 0,
	known: 0,
	evidence: 0,
	rarity: 0,
	lead: 0,
	standsOut: undefined,
	isNamed: false,
	isAboutName: false,
	isAmbiguous: false,
} as const;

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

/** How rare in the language the words are that a row holds to these shares, summed. */
function heldRarity(
	words: readonly WeighedWord[],
	held: readonly number[],
	commonWords: ReadonlySet<string>,
): number {
	const { identifier, other } = UNLISTED_RARITY;
	let rarity = 0;
	words.forEach((one, at) => {
		const share = held[at] ?? 0;
		if (share === 0) return;
		const unlisted = isWrittenIdentifier(one) ? identifier : other;
		rarity += share * (rarityIn(commonWords, one.word) ?? unlisted);
	});
	return rarity;
}

/** True when the row's title, aliases, tags or summary hold names in the query that few rows hold together. */
function isAboutName(words: readonly WeighedWord[], headingTerms: HeldTerms): boolean {
	const held = words.filter(
		(one) => isAnyName(one) && namesOf(one.word).some((term) => headingTerms.has(term)),
	);
	return held.reduce((sum, { weight }) => sum + weight, 0) >= RARE_NAMES_WEIGHT;
}

function isAnyName(one: WeighedWord): boolean {
	return one.isName || isWrittenIdentifier(one);
}

function isWrittenIdentifier({ word }: WeighedWord): boolean {
	return word.isIdentifier || word.joined.length > 0;
}

/** Weight of the words that a row holds to these shares, or one of the others does. */
function coveredWeight(
	words: readonly WeighedWord[],
	held: readonly number[],
	others: readonly Found[],
): number {
	let covered = 0;
	words.forEach((one, at) => {
		let most = held[at] ?? 0;
		for (const { slot } of others) {
			if (most < 1) most = Math.max(most, shareIn(one, slot.scope, slot.concept));
		}
		covered += one.weight * most;
	});
	return covered;
}

function leadOf(rows: readonly Found[]): number {
	const scores = rows.slice(0, LEAD.rows).map(({ slot }) => slot.lexical);
	scores.sort((one, other) => other - one);
	const [first = 0] = scores;
	if (first === 0) return 0;
	const rival = scores[LEAD.place - 1];
	return rival === undefined ? UNCLEAR_LEAD : (first - rival) / first;
}

/**
 * Among n values of a normal distribution the highest is about spread × ln k / √(2 ln n) above the k-th highest, so that few texts
 * and many compare (extreme value theory: Rényi's representation of the spacings).
 */
function standingOut(rows: readonly Found[], scopes: readonly SearchScope[]): number | undefined {
	const [best] = rows;
	const spread = best && spreadAround(best);
	const closest = closestOf(rows);
	const [first, last] = [closest[0], closest.at(-1)];
	if (spread === undefined || first === undefined || last === undefined) return undefined;
	const documents = scopes.reduce((sum, { index }) => sum + index.documents, 0);
	if (closest.length < 2 || documents < 2) return undefined;
	const usual = (spread * Math.log(closest.length)) / Math.sqrt(2 * Math.log(documents));
	return (first - last) / usual;
}

/** The highest cosines, descending; none in keyword mode. Most rows of a hybrid search come near the order of their cosines. */
function closestOf(rows: readonly Found[]): readonly number[] {
	const closest: number[] = [];
	for (const { slot } of rows) {
		const { cosine } = slot;
		if (cosine === undefined) return [];
		let place = closest.length;
		if (place === STANDS_OUT_PLACE) place--;
		else closest.push(cosine);
		if (cosine < (closest[place] as number)) continue;
		for (; place > 0 && (closest[place - 1] as number) < cosine; place--)
			closest[place] = closest[place - 1] as number;
		closest[place] = cosine;
	}
	return closest;
}

/** Standard deviation of cosines between unrelated texts of the row's graph; undefined where nobody knows. */
function spreadAround({ slot: { scope } }: Found): number | undefined {
	const isUsual = scope.segment.vectors?.embedder.id === USUAL_BACKGROUND.model;
	const background = backgroundOf(scope.graphVectors) ?? (isUsual ? USUAL_BACKGROUND : undefined);
	return background?.spread;
}

function isAmbiguous(words: readonly WeighedWord[], rows: readonly Found[]): boolean {
	const [best] = rows;
	if (!best || best.isNamed || words.length > AMBIGUOUS_WORDS) return false;
	if (words.some(isWrittenIdentifier)) return false;
	return rows.filter(({ score }) => score >= RIVAL_SHARE * best.score).length >= RIVALS_MIN;
}
