import type { Price, PriceList } from "../../payments/price-list.js";
import type { Micros } from "../core/money.js";
import type { Skill } from "../core/skill.js";

/** What one call costs: the listed price, for each of the units its input asks for where the operation is sold by units. */
export function priceOfCall(
	prices: Pick<PriceList, "priceOf">,
	skill: Pick<Skill, "operationId" | "units">,
	input: unknown,
): Price {
	const listed = prices.priceOf(skill.operationId);
	const amountMicros = listed.amountMicros * BigInt(unitsOf(skill, input));
	return { ...listed, amountMicros };
}

/** The part of a call's price that its answered units come to. */
export function priceOfUnits(
	amountMicros: Micros,
	skill: Pick<Skill, "units">,
	{ input, answered }: { readonly input: unknown; readonly answered: number | undefined },
): Micros {
	const units = unitsOf(skill, input);
	if (answered === undefined || answered >= units) return amountMicros;
	return (amountMicros / BigInt(units)) * BigInt(Math.max(0, answered));
}

function unitsOf({ units }: Pick<Skill, "units">, input: unknown): number {
	return units ? units.countOf(input) : 1;
}
