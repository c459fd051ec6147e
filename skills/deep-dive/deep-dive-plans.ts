import type { Json, PriceList } from "../../src/contract/contract.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { GraphRouter } from "../../src/search/search.js";
import { type DeepDiveMode, makePlan } from "./plan.js";

export interface DeepDivePlanRequest {
	readonly query: string;
	readonly mode: DeepDiveMode;
	readonly graphs?: readonly string[] | undefined;
}

const SOLD_AS = {
	fast: "research.deep_dive",
	comprehensive: "research.deep_dive.comprehensive",
} as const;

/** What a deep dive would ask, where, in which passes and for how much; runs nothing, keeps nothing, tells nothing of any content. */
export function createDeepDivePlans({
	catalog,
	search,
	prices,
}: {
	readonly catalog: GraphCatalog;
	readonly search: GraphRouter;
	readonly prices: PriceList;
}) {
	/** Throws NOT_FOUND for a graph nobody knows. */
	return async (request: DeepDivePlanRequest, signal: AbortSignal): Promise<Json> => {
		const { query, mode, graphs: ids } = request;
		const graphs = ids ? ids.map((id) => catalog.get(id)) : catalog.list();
		const { aspects, graphIds, passes, missing } = await makePlan(search, {
			...{ query, mode, graphs, signal },
		});
		const { amountMicros, billingType } = prices.priceOf(SOLD_AS[mode]);
		return {
			query,
			mode,
			aspects: aspects.map(({ question, purpose }) => ({ question, purpose })),
			graphs: graphIds,
			passes,
			missing,
			would_answer: graphIds.length > 0,
			price_usd: formatUsd(amountMicros),
			billing_type: billingType,
			operation: SOLD_AS.fast,
		};
	};
}
