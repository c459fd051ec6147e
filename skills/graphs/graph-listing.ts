import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
	type Json,
	type PriceList,
	READING_LIMITS,
	readCursor,
	takePage,
	toGraphPrices,
} from "../../src/contract/contract.js";
import { type Clock, formatUsd, toIsoDay } from "../../src/kernel/kernel.js";
import {
	BUNDLE_LIMITS,
	type Concept,
	conceptPricesOf,
	type Graph,
	valueAt,
} from "../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../src/search/search.js";
import { searchAndAnswer } from "../search/search.js";
import type { RunBounded } from "./export.operations.js";
import { graphMaps } from "./reading/graph-map.js";
import {
	countStale,
	countTrust,
	extremesOf,
	graphSchemas,
	graphStats,
} from "./reading/graph-stats.js";
import { type LogEntry, readChangeLog } from "./reading/revision-changes.js";

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
	const { page, next_cursor } = takePage(rest, limit, identity, ({ id }) => [id]);
	return { items: page, next_cursor };
}

/** Counted once: a change of one graph leaves all others in the list. */
const countEvidence = oncePerGraph(({ concepts }) =>
	concepts.reduce((sum, { evidence }) => sum + evidence.length, 0),
);

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
		price_usd: formatUsd(prices.priceOf("graphs.search", { graphId: record.id }).amountMicros),
		...pricesOf(graph),
		links: {
			self,
			readme: `${self}/readme`,
			search: `${self}/search`,
			slice: `${baseUrl}/v1/graph-slice?graph_id=${record.id}`,
		},
	};
}

function pricesOf(graph: Graph) {
	const { terms = { prices: {}, owners: [] } } = graph.record;
	const concepts = conceptPricesOf(graph);
	const isPriced =
		terms.priceMicros !== undefined || Object.keys(terms.prices).length + concepts.size > 0;
	return isPriced && { prices: toGraphPrices({ terms, concepts }) };
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

function toFreshness({ record, concepts }: Graph, today: string) {
	const days = concepts
		.flatMap((concept) => concept.evidence.map((source) => source.publishedAt))
		.filter((day) => day !== undefined);
	return {
		updated: record.updated,
		...extremesOf(days),
		stale_nodes: concepts.filter(({ staleAfter }) => staleAfter !== undefined && staleAfter < today)
			.length,
	};
}

/** What a whole graph covers; counted once per revision of it. */
export const coverageOf = oncePerGraph((graph) => countCoverage(graph, graph.concepts));

/** What somebody covers, in numbers: notes, and distinct sources of them. */
export function countCoverage({ record }: Graph, concepts: readonly Concept[]) {
	const sources = new Set<string>();
	for (const { evidence } of concepts) for (const { sourceUrl } of evidence) sources.add(sourceUrl);
	return { notes: concepts.length, sources: sources.size, updated: record.updated };
}

/** What is returned of a graph for nothing, so that no one buys unseen: each is memoized per graph and then only served. */
export function createGraphOverviews({
	search,
	clock,
	inTurn,
}: {
	readonly search: HybridSearch;
	readonly clock: Clock;
	/** Bounds what is searched for free; what is made already does not wait. */
	readonly inTurn: RunBounded;
}) {
	const served = new WeakMap<Graph, { readonly today: string; readonly stats: Json }>();
	return {
		/** Two real rows for a question the graph's owner gives as an example. */
		preview: oncePerGraph((graph) =>
			// One preview for all callers: it does not end with the one that asked first.
			inTurn(() => toPreview(graph, { search, clock }), never()),
		),
		versions: oncePerGraph(toVersions),
		schema: oncePerGraph(toSchema),
		async stats(graph: Graph): Promise<Json> {
			const counted = await readStats(graph);
			const today = toIsoDay(clock.now());
			const known = served.get(graph);
			if (known?.today === today) return known.stats;
			const stats = toStats(graph, counted, today);
			served.set(graph, { today, stats });
			return stats;
		},
	};
}

/** Of its own each time: listeners on one for all would add up. */
const never = () => new AbortController().signal;

/** Kept with the graph; what fails is tried again. */
function oncePerGraph<T>(make: (graph: Graph) => T): (graph: Graph) => T {
	const made = new WeakMap<Graph, T>();
	return (graph) => {
		const known = made.get(graph);
		if (known !== undefined) return known;
		const value = make(graph);
		made.set(graph, value);
		if (value instanceof Promise) value.catch(() => made.delete(graph));
		return value;
	};
}

async function toPreview(
	graph: Graph,
	deps: { readonly search: HybridSearch; readonly clock: Clock },
): Promise<Json> {
	const { id, title, topics, exampleQueries } = graph.record;
	const queries = [...exampleQueries, ...topics, title].slice(0, READING_LIMITS.previewQueriesMax);
	for (const query of queries) {
		const { result } = await searchAndAnswer(deps, {
			graphs: [graph],
			graphId: id,
			query,
			limit: READING_LIMITS.previewRows,
			explain: false,
			signal: never(),
		});
		const { meta, rows } = result;
		if (rows.length > 0) return { graph_id: id, query: meta.query, decision: meta.decision, rows };
	}
	return { graph_id: id, query: null, decision: "ABSTAIN", rows: [] };
}

async function readStats(graph: Graph) {
	await graphMaps.ready(graph);
	return graphStats.ready(graph);
}

function toStats(
	{ record, contentHash }: Graph,
	{ totals, evidence, staleDays }: Awaited<ReturnType<typeof readStats>>,
	today: string,
): Json {
	const { id, version, updated } = record;
	return {
		graph_id: id,
		version,
		revision: contentHash,
		...totals,
		freshness: { updated, ...evidence, stale_nodes: countStale(staleDays, today) },
	};
}

async function toSchema(graph: Graph): Promise<Json> {
	await graphMaps.ready(graph);
	const { node_types, edge_types, tags } = await graphSchemas.ready(graph);
	return {
		graph_id: graph.record.id,
		node_types: node_types.slice(0, READING_LIMITS.schemaTypesMax),
		edge_types: edge_types.slice(0, READING_LIMITS.schemaTypesMax),
		tags: tags.slice(0, READING_LIMITS.schemaTypesMax),
	};
}

/** Only what is on sale now is kept; the log lists what was before. */
async function toVersions(graph: Graph): Promise<Json> {
	const { version, updated } = graph.record;
	const { nodes, evidence } = (await readStats(graph)).totals;
	const current = { version, updated, revision: graph.contentHash, nodes, evidence };
	return { items: [current], log: await readLog(graph) };
}

async function readLog({ folder, memory }: Graph): Promise<readonly LogEntry[]> {
	const mark = memory && valueAt(memory.files, LOG_PATH);
	if (folder === "" || !mark || mark.bytes > BUNDLE_LIMITS.fileBytes) return [];
	// Somebody may have taken it away since the graph was read.
	const text = await readFile(join(folder, LOG_PATH), "utf8").catch(() => "");
	return readChangeLog(text);
}

const LOG_PATH = "log.md";
