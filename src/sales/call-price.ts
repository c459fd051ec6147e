import type { AnsweredPart } from "../../payments/payments.js";
import type { Price, PricedOperationId, PriceList, Skill } from "../contract/contract.js";
import type { Micros } from "../kernel/kernel.js";

/** What one call costs: the listed price, that of the dearer kind it may ask for, for each of the units its input asks for where the operation is sold by units. */
export function priceOfCall(
	prices: Pick<PriceList, "priceOf">,
	skill: Pick<Skill, "operationId" | "units" | "pricedBy">,
	input: unknown,
): Price {
	const listed = prices.priceOf(pricedAs(skill, input));
	const amountMicros = listed.amountMicros * BigInt(unitsOf(skill, input));
	return { ...listed, amountMicros };
}

function pricedAs(
	{ operationId, pricedBy }: Pick<Skill, "operationId" | "pricedBy">,
	input: unknown,
): PricedOperationId {
	if (!pricedBy) return operationId;
	const kind = String((input as Readonly<Record<string, unknown>>)[pricedBy.field]);
	return pricedBy.as[kind] ?? operationId;
}

/** What the answered units of a call come to; undefined where that is the whole price. */
export function answeredPart(
	amountMicros: Micros,
	skill: Pick<Skill, "units">,
	{
		input,
		answered,
	}: { readonly input: unknown; readonly answered: readonly number[] | undefined },
): AnsweredPart | undefined {
	const units = unitsOf(skill, input);
	if (answered === undefined || answered.length >= units) return undefined;
	return {
		amountMicros: (amountMicros / BigInt(units)) * BigInt(answered.length),
		units: answered,
	};
}

function unitsOf({ units }: Pick<Skill, "units">, input: unknown): number {
	return units ? units.countOf(input) : 1;
}
