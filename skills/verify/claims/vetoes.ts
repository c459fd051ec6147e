import { isStopWord, tokenize } from "../../../src/search/search.js";
import { type DateSpan, findDateSpans } from "./date-spans.js";
import { holdsDate, holdsQuantity } from "./figure-match.js";
import { findNames, hasName, type Name } from "./names.js";
import { findQuantities, type Quantity } from "./quantities.js";
import { findBareUnits, namesUnit } from "./units.js";

/** What rules look for in a text: a model may overlook one figure among many words. */
export interface TextFacts {
	readonly text: string;
	readonly names: readonly Name[];
	readonly quantities: readonly Quantity[];
	readonly dates: readonly DateSpan[];
	/** Named without a number. */
	readonly units: readonly string[];
}

const TEXT_CHARS = 4_000;
/** Longer claims are cut before they are read, and what is cut off has no say. */
const CLAIM_WORDS_MAX = 45;
const DIGITS = /\p{N}+(?:[.,:]\p{N}+)*/gu;

const CUT = "cannot be read beside so long a claim";
const isCut = ({ text }: TextFacts) => text.split(/\s+/).length > CLAIM_WORDS_MAX;

/** Reads at most the first 4,000 characters. */
export function readFacts(whole: string): TextFacts {
	const text = whole.slice(0, TEXT_CHARS).replaceAll("’", "'");
	const dates = findDateSpans(text);
	const quantities = findQuantities(text, dates);
	const measured = quantities.map((quantity) => quantity.text).join(" ");
	const units = findBareUnits(text).filter((unit) => !measured.includes(unit));
	return { text, names: findNames(text), quantities, dates, units };
}

/** Why a passage cannot bear a claim out, whatever a model reads in it, as half a sentence; undefined where rules object to nothing. */
export function objectToSupport(claim: TextFacts, passage: TextFacts): string | undefined {
	if (isCut(claim)) return CUT;
	const lacking = lackingOf(claim, passage);
	return lacking.length === 0 ? undefined : `lacks ${lacking.slice(0, 3).join(", ")}`;
}

/** Figures, dates, units and names of a claim that a text does not have, as written. */
export function lackingOf(claim: TextFacts, passage: TextFacts): readonly string[] {
	return [
		...claim.quantities.filter(
			(one) => !refersBack(one, claim) && !holdsQuantity(passage.quantities, one),
		),
		...claim.dates.filter((date) => !holdsDate(passage.dates, date)),
		...claim.names.filter((name) => !hasName(passage, name)),
	]
		.map(({ text }) => text)
		.concat(claim.units.filter((unit) => !namesUnit(passage.text, unit)))
		.concat(lackingDigits(claim, passage));
}

/** "The two" names what was mentioned before, and counts nothing. */
function refersBack({ value, start }: Quantity, { text }: TextFacts): boolean {
	return value <= 2 && /\b(?:the|these|those|both)\s$/i.test(text.slice(0, start));
}

/** Digits that are read neither as a number nor as part of a name must stand there as they are. */
function lackingDigits(claim: TextFacts, passage: TextFacts): readonly string[] {
	const read = [...claim.quantities, ...claim.dates];
	const there = new Set(passage.text.match(DIGITS));
	return [...claim.text.matchAll(DIGITS)].flatMap(({ 0: digits, index }) => {
		const isRead =
			read.some(({ start, end }) => index >= start && index < end) ||
			claim.names.some(({ text }) => text.includes(digits));
		return isRead || there.has(digits) ? [] : [digits];
	});
}

/**
 * Why a passage cannot refute a claim: it speaks of something else. What a claim names must be there, but for the one name in
 * which both may differ; what a claim opens on is whom it speaks of, unless another of its names is there.
 */
export function objectToRefutation(claim: TextFacts, passage: TextFacts): string | undefined {
	const lacking = claim.names.filter((name) => !hasName(passage, name));
	const [only, ...more] = lacking;
	if (isCut(claim)) return CUT;
	if (!only) return undefined;
	const isOther = more.length > 0 || (claim.names.length === 1 && opensOn(claim, only));
	return isOther
		? `does not speak of ${lacking
				.map(({ text }) => text)
				.slice(0, 3)
				.join(", ")}`
		: undefined;
}

function opensOn({ text }: TextFacts, { start }: Name): boolean {
	return [...tokenize(text.slice(0, start))].every(({ whole }) => isStopWord(whole));
}
