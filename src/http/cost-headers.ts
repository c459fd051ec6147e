import type { CostWire } from "../contract/contract.js";

/** What a paid reply says of its price in the headers; a header whose value is unknown is left out. */
export function costHeaders(cost: CostWire): Record<string, string> {
	return {
		"X-Cost-USD": cost.amount_usd,
		...(cost.balance_after_usd !== null && { "X-Balance-After-USD": cost.balance_after_usd }),
		...(cost.receipt_id !== null && { "X-Receipt-Id": cost.receipt_id }),
		...(cost.replayed && { "Idempotent-Replayed": "true" }),
	};
}
