import { z } from "zod";
import { formatUsd } from "../kernel/kernel.js";
import { replyComponent } from "./named-schemas.js";
import type { PricedOperationId } from "./operations.js";
import type { PricedGraph, PriceList } from "./prices.js";
import { usdField } from "./reply-schemas.js";

/** Prices that differ from the list, as documents and lists state them. */

/** Fields by which an input may name one graph, itself or by who speaks for it. */
const GRAPH_FIELDS =
	"graph_id graphs trend_id queries evidence_id agent_id agent_ids analyst analysts".split(" ");

/** What an operation costs in the graphs that price it themselves, by graph id; undefined where none does. */
export function pricesByGraph(
	prices: Pick<PriceList, "priceOf" | "graphs">,
	{ operationId, input }: { readonly operationId: PricedOperationId; readonly input: z.ZodType },
): Readonly<Record<string, string>> | undefined {
	const fields = "shape" in input ? (input.shape as object) : {};
	if (!GRAPH_FIELDS.some((field) => field in fields)) return undefined;
	const listed = prices.priceOf(operationId).amountMicros;
	const differing = prices.graphs().flatMap(({ graphId }) => {
		const { amountMicros } = prices.priceOf(operationId, { graphId });
		return amountMicros === listed ? [] : [[graphId, formatUsd(amountMicros)] as const];
	});
	return differing.length > 0 ? Object.fromEntries(differing) : undefined;
}

/** Concepts that are listed by name; of more only the number is said. */
const CONCEPTS_LISTED = 100;

/** What a graph prices itself: all its calls, single operations, single concepts. */
export function toGraphPrices({ terms, concepts }: Pick<PricedGraph, "terms" | "concepts">) {
	const { priceMicros, prices } = terms;
	const toUsd = (entries: Iterable<readonly [string, bigint]>) =>
		Object.fromEntries([...entries].map(([name, micros]) => [name, formatUsd(micros)]));
	return {
		price_usd: priceMicros === undefined ? null : formatUsd(priceMicros),
		operations: toUsd(Object.entries(prices)),
		nodes: toUsd([...concepts].slice(0, CONCEPTS_LISTED)),
		priced_nodes: concepts.size,
	};
}

export const graphPricesSchema = replyComponent(
	"GraphPrices",
	z.object({
		price_usd: usdField
			.nullable()
			.describe(
				"Of any call of billing type per_call that names this graph alone; null for the listed prices",
			),
		operations: z
			.record(z.string(), usdField)
			.describe("Of single operations; they go before price_usd"),
		nodes: z
			.record(z.string(), usdField)
			.describe(
				"Of reading single nodes by their id; they go before all others. The first hundred",
			),
		priced_nodes: z.int().describe("How many nodes have a price of their own"),
	}),
);
