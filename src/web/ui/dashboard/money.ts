/** Amounts travel as decimal strings of up to six digits after the point, and are added up as whole micro-USD. */

const MICROS = 1_000_000n;

export function toMicros(usd: string): bigint {
	const [, sign = "", whole = "0", part = ""] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(usd) ?? [];
	const micros = BigInt(whole) * MICROS + BigInt(part.padEnd(6, "0"));
	return sign === "-" ? -micros : micros;
}

/** Two digits after the point at least, six at most, thousands apart. */
export function toUsd(micros: bigint): string {
	const all = micros < 0n ? -micros : micros;
	const part = String(all % MICROS)
		.padStart(6, "0")
		.replace(/0{1,4}$/, "");
	return `${micros < 0n ? "-" : ""}${(all / MICROS).toLocaleString("en-US")}.${part}`;
}

export const sumUsd = (amounts: readonly string[]): string =>
	toUsd(amounts.reduce((sum, usd) => sum + toMicros(usd), 0n));

export const countOf = (value: number): string => value.toLocaleString("en-US");
