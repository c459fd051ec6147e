/** Money is a whole number of micro-USD, never a floating-point number. */
import { invalidArgument } from "./errors.js";

const MICROS_PER_USD = 1_000_000n;
const USD = /^(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Micro-USD of a decimal amount such as "0.50"; undefined for anything else. */
export function readUsd(text: unknown): bigint | undefined {
	const match = typeof text === "string" ? USD.exec(text) : null;
	if (!match) return undefined;
	const [, whole = "0", fraction = ""] = match;
	return BigInt(whole) * MICROS_PER_USD + BigInt(fraction.padEnd(6, "0"));
}

/** The same for what the program that uses us says. Throws INVALID_ARGUMENT. */
export function parseUsd(text: string, name: string): bigint {
	const micros = readUsd(text);
	if (micros !== undefined) return micros;
	const shown = String(text).slice(0, 40);
	throw invalidArgument(
		`"${shown}" in ${name} is not an amount in USD; write it like "0.50", with at most six decimals.`,
	);
}

/** `500000n` becomes "0.50". */
export function formatUsd(micros: bigint): string {
	const fraction = (micros % MICROS_PER_USD).toString().padStart(6, "0");
	return `${micros / MICROS_PER_USD}.${fraction.replace(/0{1,4}$/, "")}`;
}
