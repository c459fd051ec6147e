import type { DateSpan } from "./date-spans.js";
import type { Quantity } from "./quantities.js";
import { findAxisPlaces } from "./word-axes.js";

/** What a text says to one number or date of a claim. */
export type Fit = "same" | "other" | "absent";

export interface FitReport {
	readonly fit: Fit;
	/** What the text has there. */
	readonly found?: string | undefined;
	/** True when what differs is surely about the same thing. */
	readonly isSure?: boolean | undefined;
}

const ABOUT_SHARE = 0.05;
const EXACT_SHARE = 0.005;
/** A figure may be told rounded, unless that moves it by more. */
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
	return readingsOf(a).some((left) =>
		readingsOf(b).some(
			(right) => isNear(left, right, toleranceOf(a, b, isAbout)) || isRounded(a, b, left, right),
		),
	);
}

function readingsOf({ value, otherValue }: Quantity): readonly number[] {
	return otherValue === undefined ? [value] : [value, otherValue];
}

function toleranceOf(a: Quantity, b: Quantity, isAbout: boolean): number {
	if (isAbout) return ABOUT_SHARE;
	return a.isCount && b.isCount ? 0 : EXACT_SHARE;
}

function isNear(a: number, b: number, share: number): boolean {
	if (a === b) return true;
	return Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b));
}

/** 20.9 % told as 21 %: the coarser figure is the finer one rounded. */
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
export function fitQuantity(claim: Quantity, there: readonly Quantity[]): FitReport {
	const rivals = there.filter((other) => isComparable(claim, other));
	const fits = rivals.map((other) => ({ other, fit: fitOne(claim, other) }));
	const same = fits.find(({ fit }) => fit === "same");
	if (same) {
		// Of several numbers of a unit, which one a bound is meant for is not told.
		const isOpen = fits.some(({ fit }) => fit === "other") && !isTold(claim, rivals);
		return isOpen ? { fit: "absent" } : { fit: "same", found: same.other.text };
	}
	const denied = fits
		.filter(({ fit }) => fit === "other")
		.map(({ other: { text }, other }) => ({ text, isSure: isSurelyComparable(claim, other) }));
	const [first] = denied;
	const surest = denied.find(({ isSure }) => isSure) ?? first;
	return surest ? { fit: "other", found: surest.text, isSure: surest.isSure } : { fit: "absent" };
}

function isTold(claim: Quantity, rivals: readonly Quantity[]): boolean {
	return !isBeyondCount(claim) || rivals.some((other) => isSameValue(claim, other));
}

function fitOne(claim: Quantity, other: Quantity): Fit {
	if (isSameValue(claim, other)) return isTurned(claim, other) ? "other" : "same";
	if (!isMeasuredAgainst(claim, other)) return "other";
	if (!isWithin(claim, other)) return "other";
	// Who says "over 40" does not mean 95.
	return LOWER.has(claim.bound) && other.value > claim.value * BOUND_REACH ? "absent" : "same";
}

function isBeyondCount({ dimension, bound }: Quantity): boolean {
	return dimension !== "count" && bound !== "range";
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
	// A limit of 16 does not bear out one of 32, though 16 is less: what is capped is told by its cap.
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

function isSurelyComparable(claim: Quantity, other: Quantity): boolean {
	if (claim.dimension !== "count") return true;
	return sharesNoun(claim, other);
}

function sharesNoun(a: Quantity, b: Quantity): boolean {
	return a.nouns.some((noun) => b.nouns.some((other) => other === noun || isLike(noun, other)));
}

/** Whether dates of a text bear out one of a claim. A coarser date neither bears out nor denies a finer one in it. */
export function fitDate(claim: DateSpan, there: readonly DateSpan[]): FitReport {
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
