import {
	type GraphType,
	type Json,
	OPERATION_ADDRESSES,
	type PriceList,
	type ServiceInfo,
	toRequestPath,
} from "../../src/contract/contract.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { GraphPromise, GraphRouter } from "../../src/search/search.js";

export interface RoutingRequest {
	readonly query: string;
	/** Graphs named at most. */
	readonly limit: number;
	/** Kinds of graph that are asked; all of them where absent. */
	readonly type?: readonly GraphType[] | undefined;
}

const SOLD_AS = "graphs.search";

/**
 * Which graphs would answer a query, how well, and the call that sells the answer. States the caller's own words and what
 * the free catalog states anyway: no concept, no evidence. The query is kept nowhere.
 */
export function createQueryRouting({
	info,
	catalog,
	search,
	prices,
}: {
	readonly info: Pick<ServiceInfo, "baseUrl">;
	readonly catalog: GraphCatalog;
	readonly search: GraphRouter;
	readonly prices: PriceList;
}) {
	const toRoutedGraph = ({ graph, decision, strength, ...promise }: GraphPromise) => {
		const { id, slug, title, type } = graph.record;
		const address = OPERATION_ADDRESSES[SOLD_AS];
		return {
			graph_id: id,
			slug,
			title,
			type,
			decision,
			strength: Math.round(strength * 10_000) / 10_000,
			covered: promise.covered,
			missing: promise.missing,
			rows_available: promise.rows,
			price_usd: formatUsd(prices.priceOf(SOLD_AS, { graphId: id }).amountMicros),
			operation: SOLD_AS,
			resource: {
				method: address.method,
				url: `${info.baseUrl()}${toRequestPath(address, { graph_id: id }).path}`,
			},
		};
	};
	return async ({ query, limit, type }: RoutingRequest, signal: AbortSignal): Promise<Json> => {
		const graphs = catalog.list().filter(({ record }) => !type || type.includes(record.type));
		const found = await search.route({ graphs, query, limit, signal });
		return {
			query,
			graphs: found.graphs.map(toRoutedGraph),
			missing: found.missing,
			mode: found.mode,
			...(found.reason !== undefined && { mode_reason: found.reason }),
		};
	};
}
