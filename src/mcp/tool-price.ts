import type { PricedOperationId, PriceList, Skill } from "../contract/contract.js";
import { formatUsd } from "../kernel/kernel.js";

/** What one call of an operation costs, as a tool's description ends. */
export function priceSentence(
	prices: PriceList,
	{ operationId, units, pricedBy }: Pick<Skill, "operationId" | "units" | "pricedBy">,
): string {
	const usd = (id: PricedOperationId) => formatUsd(prices.priceOf(id).amountMicros);
	if (pricedBy) {
		const kinds = Object.entries(pricedBy.as).map(([kind, id]) => `${kind} ${usd(id)} USD`);
		return `Costs by ${pricedBy.field}: ${kinds.join(", ")}.`;
	}
	if (prices.priceOf(operationId).amountMicros === 0n) return "Free.";
	const price = `Costs ${usd(operationId)} USD`;
	return units ? `${price} per ${units.name}.` : `${price}; free without an answer.`;
}
