import type { DateSpan } from "./date-spans.js";
import {
	type Compared,
	type Conflict,
	type Findings,
	type Item,
	joined,
	NOTHING_FOUND,
} from "./findings.js";
import type { Quantity } from "./quantities.js";
import type { TextReading } from "./text-reading.js";
import { findAxisPlaces } from "./thesaurus.js";

const FIGURE_WEIGHT = 1.2;
const BREAKS = /[,;:()]|\s(?:and|but|while|against|then)\s/g;

/** Numbers, dates and units of a claim against those of a sentence and of its sources. */
export function compareFigures(compared: Compared): Findings {
	const { claim } = compared;
	return joined([
		...claim.quantities.map((quantity) => compareQuantity(quantity, compared)),
		...claim.dates.map((date) => compareDate(date, compared)),
		compareUnits(compared),
	]);
}

const UNSURE_SHARE = 0.6;

/** Who says nothing of a figure of the claim may speak of another matter with other figures and names. */
export function weakenByOpenFigures(
	items: readonly Item[],
	conflicts: readonly Conflict[],
): readonly Conflict[] {
	const open = items.filter(({ isFigure, place }) => isFigure && place === "nowhere").length;
	if (open <= conflicts.filter(({ of }) => of === "figure").length) return conflicts;
	return conflicts.map((conflict) =>
		conflict.of === "figure" || conflict.of === "name"
			? { ...conflict, sureness: conflict.sureness * UNSURE_SHARE, isDecisive: false }
			: conflict,
	);
}

function compareQuantity(quantity: Quantity, { claim, sentence }: Compared): Findings {
	// "The two" names what was mentioned before, and counts nothing.
	const before = claim.text.slice(0, quantity.start);
	if (quantity.value <= 2 && /\b(?:the|these|those|both)\s$/i.test(before)) return NOTHING_FOUND;
	const near = quantitiesBeside(claim.dates, sentence);
	const { fit, found, isSure } = fitQuantity(quantity, near ?? sentence.quantities);
	const isShare = fit !== "same" && isShareOf(quantity, sentence.quantities);
	const item = figure(quantity.text, fit === "same" || isShare);
	if (fit !== "other" || isShare) return { items: [item], conflicts: [] };
	const reason = `says ${found ?? "another number"}, the claim ${quantity.text}`;
	const sureness = isSure || near ? 1 : 0.6;
	return { items: [item], conflicts: [{ reason, sureness, isDecisive: true, of: "figure" }] };
}

/** Points by which a share may be rounded. */
const SHARE_POINTS = 0.6;

/** "Three quarters" against 16 rows of which 12 are flagged: one count is that share of another. */
function isShareOf({ dimension, value, bound }: Quantity, there: readonly Quantity[]): boolean {
	if (dimension !== "percent") return false;
	const counts = there.filter((each) => each.isCount).map((each) => each.value);
	const points = bound === "about" ? 2 * SHARE_POINTS : SHARE_POINTS;
	return counts.some((part) =>
		counts.some((whole) => whole > part && Math.abs((100 * part) / whole - value) <= points),
	);
}

/** In a list of figures by date, those that stand beside the claim's date; undefined where there is no such list. */
function quantitiesBeside(
	dates: readonly DateSpan[],
	sentence: TextReading,
): readonly Quantity[] | undefined {
	const [date, ...more] = dates;
	if (!date || more.length > 0 || sentence.dates.length < 3) return undefined;
	const places = sentence.dates.filter(({ from, to }) => from >= date.from && to <= date.to);
	const chunks = chunksOf(sentence.text);
	const beside = sentence.quantities.filter((quantity) =>
		places.some((place) => chunks(place.start) === chunks(quantity.start)),
	);
	return beside.length > 0 ? beside : undefined;
}

/** Which piece between commas and the like a place belongs to. */
function chunksOf(text: string): (at: number) => number {
	const breaks = [...text.matchAll(BREAKS)].map(({ index }) => index);
	return (at) => breaks.filter((place) => place < at && !/\(/.test(text[place] ?? "")).length;
}

function compareDate(date: DateSpan, compared: Compared): Findings {
	const { sentence, sourceDates } = compared;
	const told = fitDate(date, sentence.dates);
	const granted = told.fit === "absent" ? fitDate(date, sourceDates) : told;
	const isGranted = told.fit !== "same" && granted.fit === "same";
	const item = figure(date.text, told.fit === "same");
	const items: readonly Item[] = [isGranted ? { ...item, place: "about" } : item];
	const own = sentence.dates.filter((each) => !isOfOtherName(each, compared));
	if (told.fit !== "other" || fitDate(date, own).fit !== "other") return { items, conflicts: [] };
	const reason = `says ${told.found ?? "another date"}, the claim ${date.text}`;
	return { items, conflicts: [{ reason, sureness: 0.95, isDecisive: true, of: "figure" }] };
}

/** "RFC 9114 (June 2022)": the date of a document of which neither the claim nor the concept speaks. */
function isOfOtherName({ start }: DateSpan, { claim, sentence, context }: Compared): boolean {
	const { text, names } = sentence;
	const before = /\s\($/.exec(text.slice(0, start));
	if (!before) return false;
	const owner = names.find(
		({ series, text: written }) =>
			series !== undefined && text.slice(0, before.index).endsWith(written),
	);
	const known = [...claim.names, ...context.about.names];
	return owner !== undefined && !known.some(({ key }) => key === owner.key);
}

/** "Expressed in seconds" against milliseconds. */
function compareUnits({ claim, sentence }: Compared): Findings {
	const conflicts = claim.bareUnits.flatMap(({ written, dimension, factor }): Conflict[] => {
		const there = sentence.bareUnits.filter((unit) => unit.dimension === dimension);
		const [other] = there;
		if (!other || there.some((unit) => unit.factor === factor)) return [];
		const reason = `speaks of ${other.written}, the claim of ${written}`;
		return [{ reason, sureness: 1, isDecisive: true, of: "figure" }];
	});
	return { items: [], conflicts };
}

function figure(text: string, isMet: boolean): Item {
	const place = isMet ? "sentence" : "nowhere";
	return { weight: FIGURE_WEIGHT, place, isEssential: true, isFigure: true, text };
}

/** What a text says to one number or date of a claim. */
type Fit = "same" | "other" | "absent";

/** `found` is what the text has there; `isSure` says that what differs is surely about the same thing. */
type FitReport = { readonly fit: Fit; readonly found?: string; readonly isSure?: boolean };

const ABOUT_SHARE = 0.05;
const EXACT_SHARE = 0.005;
/** A figure may be rounded, unless that moves it by more. */
const ROUNDED_SHARE = 0.03;

/** True when two numbers of one dimension say the same. Symmetric. */
export function isSameValue(a: Quantity, b: Quantity): boolean {
	if (a.dimension !== b.dimension) return false;
	if (a.bound === "range" || b.bound === "range") {
		return (
			a.bound === b.bound &&
			isNear(a.value, b.value, EXACT_SHARE) &&
			isNear(a.upper, b.upper, EXACT_SHARE)
		);
	}
	const isAbout = a.bound === "about" || b.bound === "about";
	const tolerance = isAbout ? ABOUT_SHARE : a.isCount && b.isCount ? 0 : EXACT_SHARE;
	return readingsOf(a).some((left) =>
		readingsOf(b).some((right) => isNear(left, right, tolerance) || isRounded(a, b, left, right)),
	);
}

function readingsOf({ value, otherValue }: Quantity): readonly number[] {
	return otherValue === undefined ? [value] : [value, otherValue];
}

function isNear(a: number, b: number, share: number): boolean {
	return a === b || Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));
}

/** 20.9 % given as 21 %: the coarser figure is the finer one rounded. */
function isRounded(a: Quantity, b: Quantity, left: number, right: number): boolean {
	if (a.isCount || b.isCount || a.halfDigit === b.halfDigit) return false;
	const coarse = Math.max(a.halfDigit, b.halfDigit);
	return Math.abs(left - right) <= coarse && isNear(left, right, ROUNDED_SHARE);
}

/** How far above a lower bound a number may lie that bears it out. */
const BOUND_REACH = 2;
const UPPER = new Set(["at most", "less than"]);
const LOWER = new Set(["at least", "more than"]);

/** Whether a number of a text bears out one of a claim, denies it, or speaks of something else. */
function fitQuantity(claim: Quantity, there: readonly Quantity[]): FitReport {
	const rivals = there.filter((other) => isComparable(claim, other));
	const fits = rivals.map((other) => ({ other, fit: fitOne(claim, other) }));
	const same = fits.find(({ fit }) => fit === "same");
	if (same) {
		// Of several numbers of a unit, which one a bound is meant for is unknown.
		const isBound = claim.dimension !== "count" && claim.bound !== "range";
		const isTold = !isBound || rivals.some((other) => isSameValue(claim, other));
		const isOpen = fits.some(({ fit }) => fit === "other") && !isTold;
		return isOpen ? { fit: "absent" } : { fit: "same", found: same.other.text };
	}
	const denied = fits.filter(({ fit }) => fit === "other").map(({ other }) => other);
	const sure = denied.find((other) => claim.dimension !== "count" || sharesNoun(claim, other));
	const found = (sure ?? denied[0])?.text;
	return found === undefined
		? { fit: "absent" }
		: { fit: "other", found, isSure: sure !== undefined };
}

function fitOne(claim: Quantity, other: Quantity): Fit {
	if (isSameValue(claim, other)) return isTurned(claim, other) ? "other" : "same";
	if (!isMeasuredAgainst(claim, other) || !isWithin(claim, other)) return "other";
	// Who says "over 40" does not mean 95.
	return LOWER.has(claim.bound) && other.value > claim.value * BOUND_REACH ? "absent" : "same";
}

/** "At least 64" against "at most 64". */
function isTurned(claim: Quantity, other: Quantity): boolean {
	return (
		(UPPER.has(claim.bound) && LOWER.has(other.bound)) ||
		(LOWER.has(claim.bound) && UPPER.has(other.bound))
	);
}

/** A claim with a bound may be borne out by an exact number: "more than 10" by 16. */
function isMeasuredAgainst(claim: Quantity, other: Quantity): boolean {
	const isOpen = UPPER.has(claim.bound) || LOWER.has(claim.bound) || claim.bound === "range";
	return isOpen && (other.bound === "exact" || other.bound === "about");
}

function isWithin(claim: Quantity, other: Quantity): boolean {
	if (claim.bound === "range") return other.value >= claim.value && other.value <= claim.upper;
	// A limit of 16 does not bear out one of 32, though 16 is less: what is capped is given by its cap.
	if (claim.bound === "at most") return false;
	return UPPER.has(claim.bound) ? other.value < claim.value : other.value > claim.value;
}

function isComparable(claim: Quantity, other: Quantity): boolean {
	const dimensions = new Set([claim.dimension, other.dimension]);
	// Points are never percent: a rise by 5 % is not one by 5 percentage points.
	if (dimensions.has("percent") && dimensions.has("points")) return true;
	if (claim.dimension !== other.dimension) return false;
	if (claim.dimension !== "count") return true;
	return (
		claim.nouns.length === 0 ||
		other.nouns.length === 0 ||
		sharesNoun(claim, other) ||
		claim.value === other.value
	);
}

function sharesNoun(a: Quantity, b: Quantity): boolean {
	return a.nouns.some((noun) => b.nouns.some((other) => other === noun || isLike(noun, other)));
}

/** Whether dates of a text bear out one of a claim. A coarser date neither bears out nor denies a finer one in it. */
function fitDate(claim: DateSpan, there: readonly DateSpan[]): FitReport {
	let denied: FitReport | undefined;
	for (const other of there) {
		const fit = fitOneDate(claim, other);
		if (fit === "same") return { fit, found: other.text };
		if (fit === "other") denied ??= { fit, found: other.text, isSure: true };
	}
	return denied ?? { fit: "absent" };
}

function fitOneDate(claim: DateSpan, other: DateSpan): Fit {
	const isWithin = other.from >= claim.from && other.to <= claim.to;
	const touches = other.from <= claim.to && other.to >= claim.from;
	if (claim.relation === "in" && other.relation === "in") return fitMoment(isWithin, touches);
	// What has been so since 2011 began then; what happened in 2017 says nothing of when.
	if (claim.relation === "since") return fitStart(isWithin, touches, other);
	if (claim.relation !== "in" && other.relation === "in") return fitRelation(claim, other);
	if (!touches) return "absent";
	// "Before 2021" against "since 2021".
	const isTurnedRound =
		claim.relation !== "in" && (claim.relation === "before") !== (other.relation === "before");
	return isTurnedRound ? "other" : "same";
}

function fitStart(isWithin: boolean, touches: boolean, { relation }: DateSpan): Fit {
	if (relation === "since" && !touches) return "other";
	return isWithin && relation !== "before" ? "same" : "absent";
}

function fitMoment(isWithin: boolean, touches: boolean): Fit {
	if (isWithin) return "same";
	return touches ? "absent" : "other";
}

function fitRelation(claim: DateSpan, other: DateSpan): Fit {
	if (claim.relation === "before") {
		if (other.to < claim.from) return "same";
		return other.from >= claim.from ? "other" : "absent";
	}
	if (other.from >= claim.from) return "same";
	return other.to < claim.from ? "other" : "absent";
}

function isLike(a: string, b: string): boolean {
	const axes = findAxisPlaces(b);
	return findAxisPlaces(a).some((one) =>
		axes.some(({ axis, sign }) => axis === one.axis && sign === one.sign),
	);
}
