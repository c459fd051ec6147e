import { FEED_LIMITS } from "../feed-limits.js";

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?$|^([+-]?)\.(\d+)$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** True for text that is one finite number of a size that can be measured. */
export function isPublishedNumber(text: string): boolean {
	if (text.length > FEED_LIMITS.valueChars || !NUMBER.test(text)) return false;
	return Math.abs(Number(text)) < FEED_LIMITS.valueMax;
}

/** Moves the decimal point, digit by digit, so that nothing is rounded: `10251000000000` by -12 is `10.251`. */
export function shiftPoint(text: string, places: number): string {
	const match = places === 0 ? null : text.match(DECIMAL);
	if (!match) return places === 0 ? text : String(Number(text) * 10 ** places);
	const sign = match[1] ?? match[4] ?? "";
	const whole = match[2] ?? "";
	const digits = `${whole}${match[3] ?? match[5] ?? ""}`;
	const point = whole.length + places;
	const padded = digits.padStart(digits.length + Math.max(0, 1 - point), "0");
	const start = Math.max(1, point);
	const before = padded
		.slice(0, start)
		.padEnd(start, "0")
		.replace(/^0+(?=\d)/, "");
	const after = padded.slice(start).replace(/0+$/, "");
	return `${sign === "-" ? "-" : ""}${before}${after && `.${after}`}`;
}

/** Difference of two published numbers, free of the dust of binary fractions. */
export function exactDifference(after: string, before: string): number {
	const places = Math.min(20, Math.max(decimalsOf(after), decimalsOf(before)));
	return Number((Number(after) - Number(before)).toFixed(places));
}

function decimalsOf(text: string): number {
	const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
	return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent));
}
