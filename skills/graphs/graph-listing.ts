import {
	type Json,
	type PriceList,
	readCursor,
	type TrustTier,
	toCursor,
} from "../../src/contract/contract.js";
import { formatUsd } from "../../src/kernel/kernel.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";

export interface ListingOptions {
	readonly baseUrl: string;
	readonly prices: PriceList;
	/** `YYYY-MM-DD`, the day staleness is judged by. */
	readonly today: string;
}

/** A part of a list of graphs: all of them without a limit. */
export interface GraphPageRequest {
	readonly limit?: number | undefined;
	/** `next_cursor` of the page before. */
	readonly cursor?: string | undefined;
}

/**
 * The graphs behind the cursor, at most so many, in the order of their ids; `next_cursor` is null on the last page. Throws
 * INVALID_ARGUMENT for a cursor of another list.
 */
export function pageOfGraphs<Item extends { readonly id: string }>(
	items: readonly Item[],
	{ limit = items.length, cursor }: GraphPageRequest,
) {
	const identity = { list: "graphs.catalog", asked: {} };
	const [after = ""] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
	const from = items.findIndex(({ id }) => id > after);
	const rest = from < 0 ? [] : items.slice(from);
	const page = rest.slice(0, limit);
	const last = page.at(-1);
	return {
		items: page,
		next_cursor: last && rest.length > page.length ? toCursor(identity, [last.id]) : null,
	};
}

const evidenceCounts = new WeakMap<Graph, number>();

/** Counted once: a change of one graph leaves all others in the list. */
function countEvidence(graph: Graph): number {
	const known = evidenceCounts.get(graph);
	if (known !== undefined) return known;
	const count = graph.concepts.reduce((sum, { evidence }) => sum + evidence.length, 0);
	evidenceCounts.set(graph, count);
	return count;
}

/** A graph as the catalog lists it. */
export function toCatalogItem(graph: Graph, { baseUrl, prices }: Omit<ListingOptions, "today">) {
	const { record, concepts } = graph;
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
		evidence: countEvidence(graph),
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
