import type { PriceList } from "../../payments/price-list.js";
import { formatUsd } from "../core/money.js";
import type { Concept, Graph, TrustTier } from "../knowledge/graph.js";
import type { Json } from "./free-operations.js";

export interface ListingOptions {
	readonly baseUrl: string;
	readonly prices: PriceList;
	/** `YYYY-MM-DD`, the day staleness is judged by. */
	readonly today: string;
}

/** A graph as the catalog lists it. */
export function toCatalogItem(
	{ record, concepts }: Graph,
	{ baseUrl, prices }: Omit<ListingOptions, "today">,
): Json {
	const self = `${baseUrl}/v1/graphs/${record.id}`;
	return {
		id: record.id,
		slug: record.slug,
		title: record.title,
		type: record.type,
		version: record.version,
		updated: record.updated,
		description: record.description,
		topics: record.topics,
		nodes: concepts.length,
		evidence: concepts.reduce((sum, concept) => sum + concept.evidence.length, 0),
		price_usd: formatUsd(prices.priceOf("graphs.search").amountMicros),
		links: {
			self,
			readme: `${self}/readme`,
			search: `${self}/search`,
			slice: `${baseUrl}/v1/graph-slice?graph_id=${record.id}`,
		},
	};
}

/** A graph's own page: its catalog entry, example questions, curator, and how far it can be trusted. */
export function toGraphDetail(graph: Graph, options: ListingOptions): Json {
	const { record, concepts } = graph;
	return {
		...toCatalogItem(graph, options),
		example_queries: record.exampleQueries,
		curator: record.curator ?? null,
		...(record.analyst && { analyst: record.analyst }),
		...(record.expert && {
			expert: {
				agent_id: record.expert.agentId,
				name: record.expert.name,
				headline: record.expert.headline,
				is_ai_twin: record.expert.isAiTwin,
				disclosure: record.expert.disclosure,
			},
		}),
		trust: countTrust(concepts),
		freshness: toFreshness(graph, options.today),
	};
}

function countTrust(concepts: readonly Concept[]): Record<TrustTier, number> {
	const counts = { "human-reviewed": 0, "machine-confirmed": 0, unverified: 0 };
	for (const { trust } of concepts) counts[trust]++;
	return counts;
}

function toFreshness({ record, concepts }: Graph, today: string) {
	const days = concepts
		.flatMap((concept) => concept.evidence.map((source) => source.publishedAt))
		.filter((day) => day !== undefined);
	const [first] = days;
	// ISO dates compare as text.
	const newest = days.reduce((best, day) => (best && best > day ? best : day), first);
	const oldest = days.reduce((best, day) => (best && best < day ? best : day), first);
	return {
		updated: record.updated,
		newest_evidence: newest ?? null,
		oldest_evidence: oldest ?? null,
		stale_nodes: concepts.filter(({ staleAfter }) => staleAfter !== undefined && staleAfter < today)
			.length,
	};
}
