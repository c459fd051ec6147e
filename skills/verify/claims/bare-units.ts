import { findUnit } from "./units.js";

/** A unit that is named without a number: "expressed in seconds". */
export interface BareUnit {
	readonly written: string;
	readonly dimension: string;
	readonly factor: number;
}

const WORD = /(?<!\p{N}[\s-]?)\p{L}{4,}/gu;
const ALONE =
	/^(?:nanoseconds?|microseconds?|milliseconds?|seconds|minutes|hours|days|bytes|octets|bits|kibibytes|megabytes|percent|gwei|wei)$/i;

/** Units of a text whose names can be nothing else. */
export function findBareUnits(text: string): readonly BareUnit[] {
	return [...text.matchAll(WORD)].flatMap(([written]) => {
		const unit = ALONE.test(written) ? findUnit(written) : undefined;
		return unit ? [{ written, dimension: unit.dimension, factor: unit.factor }] : [];
	});
}
