import { invalidArgument } from "./errors.js";

/** Money is a whole number of micro-USD: 1 USD = 1,000,000, one to one with USDC's six decimals. */
export type Micros = bigint;

const MICROS_PER_USD = 1_000_000n;
const USD_PATTERN = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Reads a decimal USD amount such as `"7.50"`. Throws INVALID_ARGUMENT for signs, exponents or more than six decimals. */
export function parseUsd(text: string): Micros {
	const match = USD_PATTERN.exec(text);
	if (!match) {
		throw invalidArgument(
			`"${text.slice(0, 40)}" is not an amount in USD; write it like "7.50", with at most six decimals.`,
		);
	}
	const [, whole = "0", fraction = ""] = match;
	return BigInt(whole) * MICROS_PER_USD + BigInt(fraction.padEnd(6, "0"));
}

/** Writes micro-USD as a decimal string with two to six decimals: `500000n` becomes `"0.50"`. */
export function formatUsd(micros: Micros): string {
	const sign = micros < 0n ? "-" : "";
	const absolute = micros < 0n ? -micros : micros;
	const fraction = (absolute % MICROS_PER_USD).toString().padStart(6, "0");
	return `${sign}${absolute / MICROS_PER_USD}.${fraction.replace(/0{1,4}$/, "")}`;
}

/** The JSON number that `x-svc-price-usd` asks for; display only, never computed with. */
export function toUsdNumber(micros: Micros): number {
	return Number(formatUsd(micros));
}
