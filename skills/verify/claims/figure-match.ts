import type { DateSpan } from "./date-spans.js";
import type { Quantity } from "./quantities.js";

const ABOUT_SHARE = 0.05;
const EXACT_SHARE = 0.005;
/** A figure may be rounded, unless that moves it by more. */
const ROUNDED_SHARE = 0.03;
/** Points by which a share may be rounded. */
const SHARE_POINTS = 0.6;

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
const LOWER = new Set(["at least", "more than"]);

/** Whether a number of a claim stands in a text, in whatever unit, or follows from one that does: "more than 10" from 16. */
export function holdsQuantity(there: readonly Quantity[], claim: Quantity): boolean {
	return there.some((other) => bearsOut(claim, other)) || isShareOf(claim, there);
}

function bearsOut(claim: Quantity, other: Quantity): boolean {
	if (claim.dimension !== other.dimension) return false;
	if (isSameValue(claim, other)) return true;
	if (other.bound === "range" && claim.bound !== "range") return isEndOf(other, claim);
	const isExact = other.bound === "exact" || other.bound === "about";
	// Who says "over 40" does not mean 95.
	const isFar = LOWER.has(claim.bound) && other.value > claim.value * BOUND_REACH;
	return isExact && !isFar && isWithin(claim, other);
}

/** Both ends of "6 to 10 km" stand there. */
function isEndOf({ value, upper }: Quantity, claim: Quantity): boolean {
	return isNear(value, claim.value, EXACT_SHARE) || isNear(upper, claim.value, EXACT_SHARE);
}

function isWithin({ bound, value, upper }: Quantity, other: Quantity): boolean {
	if (bound === "range") return other.value >= value && other.value <= upper;
	// A limit of 16 does not bear out one of 32, though 16 is less: what is capped is given by its cap.
	if (bound === "less than") return other.value < value;
	return LOWER.has(bound) && other.value > value;
}

/** "Three quarters" against 16 rows of which 12 are flagged: one count is that share of another. */
function isShareOf({ dimension, value, bound }: Quantity, there: readonly Quantity[]): boolean {
	if (dimension !== "percent") return false;
	const counts = there.filter((each) => each.isCount).map((each) => each.value);
	const points = bound === "about" ? 2 * SHARE_POINTS : SHARE_POINTS;
	return counts.some((part) =>
		counts.some((whole) => whole > part && Math.abs((100 * part) / whole - value) <= points),
	);
}

/** Whether dates of a text bear out one of a claim. A coarser date does not bear out a finer one in it. */
export function holdsDate(there: readonly DateSpan[], claim: DateSpan): boolean {
	return there.some((other) => fitsDate(claim, other));
}

function fitsDate(claim: DateSpan, other: DateSpan): boolean {
	const isWithin = other.from >= claim.from && other.to <= claim.to;
	// What has been so since 2011 began then; what happened in 2017 says nothing of when.
	if (claim.relation === "since") return isWithin && other.relation !== "before";
	if (other.relation !== "in") {
		const isAlike = (claim.relation === "before") === (other.relation === "before");
		const touches = other.from <= claim.to && other.to >= claim.from;
		return touches && (claim.relation === "in" || isAlike);
	}
	if (claim.relation === "in") return isWithin;
	return claim.relation === "before" ? other.to < claim.from : other.from >= claim.from;
}
