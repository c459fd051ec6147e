/** The middle of the values; of an even number of them the upper one of the two in the middle. */
export function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** To so many digits after the point. */
export function round(value: number, digits = 3): number {
	return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** To four significant digits. */
export function toFourDigits(value: number): number {
	return Number(value.toPrecision(4));
}
