import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Json, READING_LIMITS, type SearchResponse } from "../../src/contract/contract.js";
import { type Clock, toIsoDay } from "../../src/kernel/kernel.js";
import { BUNDLE_LIMITS, type Graph, valueAt } from "../../src/knowledge/knowledge.js";
import type { HybridSearch } from "../../src/search/search.js";
import { searchAndAnswer } from "../search/search.js";
import { graphMaps } from "./reading/graph-map.js";
import { countStale, type GraphStats, graphSchemas, graphStats } from "./reading/graph-stats.js";
import { type LogEntry, readChangeLog } from "./reading/revision-changes.js";

/** What is told of a graph for nothing, so that no one buys unseen: each is memoized per graph and then only served. */
export interface GraphOverviews {
	/** Two real rows for a question the graph's owner gives as an example. */
	preview(graph: Graph): Promise<Json>;
	stats(graph: Graph): Promise<Json>;
	schema(graph: Graph): Promise<Json>;
	versions(graph: Graph): Promise<Json>;
}

export function createGraphOverviews({
	search,
	clock,
	inTurn,
}: {
	readonly search: HybridSearch;
	readonly clock: Clock;
	/** Bounds what is searched for free; what is made already does not wait. */
	readonly inTurn: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}): GraphOverviews {
	const previews = createOncePerGraph((graph) =>
		// One preview for everybody: it does not end with anyone who asked first.
		inTurn(() => toPreview(graph, { search, clock }), never()),
	);
	const versions = createOncePerGraph(toVersions);
	const schemas = createOncePerGraph(toSchemaWire);
	const counts = new WeakMap<Graph, { readonly today: string; readonly told: Json }>();
	return {
		preview: previews,
		versions,
		schema: schemas,
		async stats(graph) {
			await graphMaps.ready(graph);
			const counted = await graphStats.ready(graph);
			const today = toIsoDay(clock.now());
			const known = counts.get(graph);
			if (known?.today === today) return known.told;
			const told = toStatsWire(graph, counted, today);
			counts.set(graph, { today, told });
			return told;
		},
	};
}

/** Of its own each time: listeners on one for all would add up. */
const never = () => new AbortController().signal;

/** Kept with the graph; what fails is tried again. */
function createOncePerGraph<T extends object>(make: (graph: Graph) => T): (graph: Graph) => T {
	const made = new WeakMap<Graph, T>();
	return (graph) => {
		const known = made.get(graph);
		if (known) return known;
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
		if (result.rows.length > 0) return toPreviewWire(graph, result);
	}
	return { graph_id: id, query: null, decision: "ABSTAIN", rows: [] };
}

function toPreviewWire({ record }: Graph, { meta, rows }: SearchResponse): Json {
	return { graph_id: record.id, query: meta.query, decision: meta.decision, rows };
}

function toStatsWire(graph: Graph, stats: GraphStats, today: string): Json {
	const { id, version, updated } = graph.record;
	return {
		graph_id: id,
		version,
		revision: graph.contentHash,
		nodes: stats.nodes,
		edges: stats.edges,
		evidence: stats.evidence,
		sources: stats.sources,
		cited_nodes: stats.citedNodes,
		trust: stats.trust,
		status: stats.status,
		degree: { ...stats.degree, mean: Math.round(stats.degree.mean * 100) / 100 },
		components: stats.components,
		freshness: {
			updated,
			newest_evidence: stats.newestEvidence ?? null,
			oldest_evidence: stats.oldestEvidence ?? null,
			dated_evidence: stats.datedEvidence,
			stale_nodes: countStale(stats, today),
		},
	};
}

async function toSchemaWire(graph: Graph): Promise<Json> {
	await graphMaps.ready(graph);
	const { nodeTypes, edgeTypes, tags } = await graphSchemas.ready(graph);
	return {
		graph_id: graph.record.id,
		node_types: nodeTypes.slice(0, READING_LIMITS.schemaTypesMax),
		edge_types: edgeTypes.slice(0, READING_LIMITS.schemaTypesMax),
		tags: tags.slice(0, READING_LIMITS.schemaTypesMax),
	};
}

/** Only what is on sale now is kept; the log tells of what was before. */
async function toVersions(graph: Graph): Promise<Json> {
	const { version, updated } = graph.record;
	await graphMaps.ready(graph);
	const { nodes, evidence } = await graphStats.ready(graph);
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
