import type { InvoiceRow } from "../../store/store.js";

/** What of an invoice is VAT. */

/** What an invoice charged and gave back at one rate. */
export interface RateSum {
	readonly basisPoints: number;
	readonly grossMicros: bigint;
	readonly vatMicros: bigint;
}

/** Lines have the rate of their invoice, each credit that of the invoice of its call; the highest rate first. */
export function vatByRate({
	lines,
	credits,
	vatBasisPoints,
}: Pick<InvoiceRow, "lines" | "credits" | "vatBasisPoints">): readonly RateSum[] {
	const sums = new Map<number, bigint>();
	const add = (basisPoints: number, amountMicros: bigint) =>
		sums.set(basisPoints, (sums.get(basisPoints) ?? 0n) + amountMicros);
	for (const { amountMicros } of lines) add(vatBasisPoints, amountMicros);
	for (const credit of credits) add(credit.vatBasisPoints, -credit.amountMicros);
	return [...sums]
		.sort(([one], [other]) => other - one)
		.map(([basisPoints, grossMicros]) => ({
			...{ basisPoints, grossMicros },
			vatMicros: vatIn(grossMicros, basisPoints),
		}));
}

const WHOLE = 10_000n;

/** VAT within an amount that includes it, rounded half away from zero to a micro-USD. */
export function vatIn(grossMicros: bigint, basisPoints: number): bigint {
	if (grossMicros < 0n) return -vatIn(-grossMicros, basisPoints);
	const divisor = WHOLE + BigInt(basisPoints);
	return (grossMicros * BigInt(basisPoints) * 2n + divisor) / (divisor * 2n);
}
