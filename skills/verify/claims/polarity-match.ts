import { stemWord } from "../../../src/search/search.js";
import type { Compared, Conflict, Findings, Item } from "./findings.js";
import { contradictsQuantifier, countedBy, type Negation, type Quantifier } from "./polarity.js";
import type { ReadWord, TextReading } from "./text-reading.js";
import { findAxisPlaces, toBaseForm } from "./thesaurus.js";
import type { AlignedWord } from "./word-alignment.js";

/** Denied words and opposites: what only one of both texts denies. */
export function comparePolarity(compared: Compared): Findings {
	const { claim, sentence, aligned } = compared;
	const placed = aligned.filter(({ place }) => place === "sentence");
	const conflicts: Conflict[] = [];
	const opposite = placed.find(({ by, agrees }) => by === "opposite" && !agrees);
	if (opposite) {
		const { word, match } = opposite;
		const reason = `says "${match?.written}" where the claim says "${word.written}"`;
		conflicts.push({ reason, sureness: 0.9, of: "opposite" });
	}
	const denied =
		turnedBy(claim, placed, ({ word }) => word) ?? turnedBy(sentence, placed, ({ match }) => match);
	if (denied)
		conflicts.push({ reason: `only one of both denies ${denied}`, sureness: 0.85, of: "denial" });
	return { items: openNegation(compared), conflicts };
}

/** Words that a negation of one text denies and that the other text has undenied; undefined when none does. */
function turnedBy(
	{ negations, words }: TextReading,
	placed: readonly AlignedWord[],
	ofThis: (pair: AlignedWord) => ReadWord | undefined,
): string | undefined {
	for (const [place, negation] of negations.entries()) {
		const heads = words.filter(({ deniedBy }) => deniedBy.includes(place));
		const pairs = placed.filter((pair) => ofThis(pair)?.deniedBy.includes(place));
		if (!isHeadPlaced(negation, heads, pairs.map(ofThis))) continue;
		const telling = pairs.filter(
			({ word, by }) => by !== "opposite" && (word.weight > 0.4 || isDirected(word)),
		);
		const turned = telling.filter(({ agrees }) => !agrees);
		if (turned.length <= telling.length - turned.length) continue;
		return turned
			.slice(0, 3)
			.map(({ word }) => `"${word.written}"`)
			.join(", ");
	}
	return undefined;
}

/** What "not" denies is its next word: where the other text lacks that, it denies something else. */
function isHeadPlaced(
	{ isDirect }: Negation,
	heads: readonly ReadWord[],
	placed: readonly (ReadWord | undefined)[],
): boolean {
	if (!isDirect) return true;
	const first = heads.find(
		({ weight, axes }) => weight > 0 || axes.some((axis) => axis.isDirected),
	);
	return first !== undefined && placed.includes(first);
}

function isDirected({ axes }: ReadWord): boolean {
	return axes.some((axis) => axis.isDirected);
}

/** What a claim denies must be found, denied or not: else a sentence without it seems to agree. */
function openNegation({ claim, sentence, aligned }: Compared): readonly Item[] {
	const isOpen =
		claim.negations.some(({ isGrammatical }) => isGrammatical) &&
		sentence.negations.length === 0 &&
		!aligned.some(
			({ place, word, by }) =>
				place === "sentence" && (word.deniedBy.length > 0 || by === "opposite"),
		);
	return isOpen
		? [{ weight: 1, place: "nowhere", isEssential: true, isFigure: false, text: "its denial" }]
		: [];
}

/** "three of four", "340 of 1,404 rows". */
const SHARE =
	/(?<part>\d[\d,]{0,20}|two|three|four|five|six|seven|eight|nine|ten)\s+(?:\([^)]{0,200}\)\s+)?of (?:the |them|its |all )?(?<whole>\d[\d,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)?/giu;
const UNIVERSAL =
	/\b(?:whenever|wherever|always|any(?! other)|every|all|regardless|in all cases|at any time)\b/i;
const ALL = new RegExp(`${UNIVERSAL.source}|\\b(?:each|both|without exception|no)\\b`, "gi");
/** Of what says "all", what means it in every sentence: "any" may not. */
const EACH = /(?<!\bnot )\b(?:all|every|each|always|without exception)\b(?! at all)/i;
const ONLY = /\b(?:only|solely|exclusively)\b/i;
const EITHER = /\beither\b[^.;]{0,200}\bor\b|\bor alternatively\b/i;

/** All, most, some, none and only: what is said of a whole against what is said of a part. */
export function compareQuantifiers(compared: Compared): Findings {
	const { claim, sentence } = compared;
	const [asked] = claim.quantifiers;
	const conflicts: Conflict[] = [];
	const told = sentence.quantifiers.find(
		(quantifier) => asked && contradictsQuantifier(asked, quantifier),
	);
	const isTold = asked && told && !claim.quantifiers.includes(told);
	if (isTold && countsAlike(compared, asked, told)) {
		const reason = `speaks of ${told}, the claim of ${asked}`;
		conflicts.push({ reason, sureness: 0.8, of: "quantity" });
	}
	const share = asked && partOf(sentence);
	if (asked && share && !fitsShare(asked, share.value)) {
		const reason = `counts ${share.text}, the claim says ${asked}`;
		conflicts.push({ reason, sureness: 0.75, of: "quantity" });
	}
	const isLimited = /\bonly\b/i.test(sentence.text) && !/\bonly\b/i.test(claim.text);
	if (UNIVERSAL.test(claim.text) && isLimited) {
		const reason = 'limits by "only" what the claim says of every case';
		conflicts.push({ reason, sureness: 0.8, of: "quantity" });
	}
	if (ONLY.test(claim.text) && EITHER.test(sentence.text) && !ONLY.test(sentence.text)) {
		const reason = 'offers a choice where the claim says "only"';
		conflicts.push({ reason, sureness: 0.85, of: "opposite" });
	}
	return { items: quantityItem(compared, share !== undefined), conflicts };
}

/** "No meaning" and "some servers" count different things. */
function countsAlike({ claim, sentence }: Compared, asked: Quantifier, told: Quantifier): boolean {
	const one = countedBy(claim.text, asked);
	const other = countedBy(sentence.text, told);
	if (one.length === 0 || other.length === 0) return true;
	return one.some((word) => other.some((there) => isLike(word, there)));
}

function isLike(a: string, b: string): boolean {
	const [one, other] = [stemWord(toBaseForm(a)), stemWord(toBaseForm(b))];
	const axes = findAxisPlaces(other).map(({ axis }) => axis);
	return one === other || findAxisPlaces(one).some(({ axis }) => axes.includes(axis));
}

function partOf({ text, quantities }: TextReading): { value: number; text: string } | undefined {
	for (const match of text.matchAll(SHARE)) {
		const { part = "", whole } = match.groups ?? {};
		const all = toNumber(whole ?? "");
		if (all > 0) return { value: toNumber(part) / all, text: match[0].trim() };
		if (/of them/.test(match[0])) return { value: 0.5, text: match[0].trim() };
	}
	const percent = quantities.find(
		({ dimension, bound }) => dimension === "percent" && bound === "exact",
	);
	return percent && { value: percent.value / 100, text: percent.text };
}

const WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

function toNumber(written: string): number {
	const word = WORDS.indexOf(written.toLowerCase());
	return word >= 0 ? word : Number(written.replaceAll(",", "")) || 0;
}

function fitsShare(quantifier: Quantifier, share: number): boolean {
	if (quantifier === "all") return share >= 1;
	if (quantifier === "most") return share > 0.5;
	if (quantifier === "none") return share === 0;
	return true;
}

/** "All" is not borne out by a sentence that counts nothing, or counts something else. */
function quantityItem({ claim, sentence }: Compared, hasShare: boolean): readonly Item[] {
	const [asked] = claim.quantifiers;
	if (asked !== "all" && asked !== "most") return [];
	const { quantifiers } = sentence;
	const isCounted =
		hasShare ||
		(asked === "most" && quantifiers.includes("most")) ||
		quantifiers.includes("none") ||
		speaksOfAll(claim, sentence);
	const place = isCounted ? "sentence" : "nowhere";
	const isEssential = asked === "most" || EACH.test(claim.text);
	return [{ weight: 0.8, place, isEssential, isFigure: false, text: asked }];
}

function speaksOfAll(claim: TextReading, { text, words }: TextReading): boolean {
	const stems = new Set(claim.words.map(({ stem }) => stem));
	return [...text.matchAll(ALL)].some(({ index, 0: all }) => {
		const counted = words.find(({ start }) => start >= index + all.length);
		return counted !== undefined && stems.has(counted.stem);
	});
}
