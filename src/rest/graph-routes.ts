import {
	CHANGE,
	CONTEXT,
	EDGE,
	EVENT,
	EXPORT,
	GRAPH_ID,
	NODE,
	NODE_ID,
	NODE_ITEM,
	OTHER_ID,
	OTHER_ITEM,
	PATH,
	QUERY,
	STEP,
	toGraphReply,
	toPageReply,
} from "../../skills/graphs/graphs.js";
import { type PaidOperationId, READING_LIMITS } from "../contract/contract.js";
import {
	changesQuery,
	edgeListQuery,
	exportQuery,
	graphPath,
	neighborsQuery,
	nodeListQuery,
	nodePath,
	timelineQuery,
} from "./graph-queries.js";
import {
	changesReply,
	contextBody,
	contextReply,
	edgeListReply,
	exportReply,
	neighborsReply,
	nodeListReply,
	nodeReply,
	pathsBody,
	pathsReply,
	similarBody,
	similarReply,
	subgraphBody,
	subgraphReply,
	timelineReply,
} from "./graph-schemas.js";
import { createReadings } from "./reading-routes.js";
import type { PaidRoute } from "./route.js";

type GraphReadingId = Extract<
	PaidOperationId,
	| "graphs.nodes.list"
	| "graphs.node"
	| "graphs.neighbors"
	| "graphs.edges"
	| "graphs.paths"
	| "graphs.subgraph"
	| "graphs.timeline"
	| "graphs.context"
	| "graphs.similar"
	| "graphs.export"
	| "graphs.changes"
>;

const path = { graph_id: GRAPH_ID };
const node = { graph_id: GRAPH_ID, node_id: NODE_ID };
const BILLING =
	"Paid per call; a graph or node that does not exist, and an answer without anything in it, cost nothing.";

const reading = createReadings<GraphReadingId>({ path: graphPath, billing: BILLING });

/** Reading one graph node by node, edge by edge, or whole. Additive to the contract. */
export const GRAPH_READING_ROUTES: Readonly<Record<GraphReadingId, PaidRoute>> = {
	"graphs.nodes.list": reading("graphs.nodes.list", {
		summary: "List nodes of a graph",
		description:
			"Nodes in the order of their ids, page by page, by type, tag, trust, date and name.",
		query: nodeListQuery,
		reply: nodeListReply,
		example: { path, query: { type: "Standard", limit: "5" }, reply: toPageReply(NODE_ITEM) },
	}),
	"graphs.node": reading("graphs.node", {
		summary: "Read one node",
		description: "One node in full: its text, its sources, who wrote and verified it, its edges.",
		path: nodePath,
		reply: nodeReply,
		example: { path: node, reply: toGraphReply(NODE) },
	}),
	"graphs.neighbors": reading("graphs.neighbors", {
		summary: "Neighbors of a node",
		description: "Nodes around one, nearest first and then heaviest, at most three edges away.",
		path: nodePath,
		query: neighborsQuery,
		reply: neighborsReply,
		example: {
			path: node,
			query: { direction: "out", limit: "5" },
			reply: toGraphReply({
				items: [{ node: OTHER_ITEM, distance: 1, weight: 1, via: STEP }],
				is_complete: true,
			}),
		},
	}),
	"graphs.edges": reading("graphs.edges", {
		summary: "List edges of a graph",
		description: "Edges by source, type and target, page by page, by type, end and day.",
		query: edgeListQuery,
		reply: edgeListReply,
		example: { path, query: { edge_types: "builds-on", limit: "5" }, reply: toPageReply(EDGE) },
	}),
	"graphs.paths": reading("graphs.paths", {
		summary: "Paths between two nodes",
		description:
			"The shortest ways without going anywhere twice. The length of an edge is one over its weight.",
		body: pathsBody,
		reply: pathsReply,
		example: {
			path,
			body: { from: NODE_ID, to: OTHER_ID, limit: 2 },
			reply: toGraphReply({ items: [PATH], is_complete: true }),
		},
	}),
	"graphs.subgraph": reading("graphs.subgraph", {
		summary: "Grow a subgraph from seeds",
		description:
			"The nodes nearest to the seeds and every edge between them, under a budget of nodes and bytes.",
		body: subgraphBody,
		reply: subgraphReply,
		example: {
			path,
			body: { seeds: [NODE_ID], max_nodes: 2 },
			reply: toGraphReply({
				nodes: [
					{ ...NODE_ITEM, distance: 0 },
					{ ...OTHER_ITEM, distance: 1 },
				],
				edges: [EDGE],
				bytes: 1_012,
				is_complete: false,
			}),
		},
	}),
	"graphs.timeline": reading("graphs.timeline", {
		summary: "Timeline of a graph",
		description:
			"Dated events, page by page: sources published, edges begun and ended, nodes written, verified and gone stale.",
		query: timelineQuery,
		reply: timelineReply,
		example: {
			path,
			query: { from: "2020-01-01", kinds: "source-published", limit: "5" },
			reply: toPageReply(EVENT),
		},
	}),
	"graphs.context": reading("graphs.context", {
		summary: "Pack context for a prompt",
		description:
			"Passages that answer a question, with numbered citations, under a budget of tokens. The estimate counts one token per four letters begun of a word, three digits of a number, and every mark.",
		body: contextBody,
		reply: contextReply,
		example: {
			path,
			body: { query: QUERY, max_tokens: 500 },
			reply: toGraphReply(CONTEXT, {
				query: QUERY,
				decision: "ANSWER",
				mode: "hybrid",
				missing: [],
			}),
		},
	}),
	"graphs.similar": reading("graphs.similar", {
		summary: "Find similar nodes",
		description:
			"Nodes nearest in meaning to a text or a node, and what they have in common with it.",
		body: similarBody,
		reply: similarReply,
		example: {
			path,
			body: { node_id: NODE_ID, limit: 5 },
			reply: toGraphReply(
				{
					items: [
						{ ...OTHER_ITEM, score: 0.82, shared_tags: [], shared_sources: 0, is_linked: true },
					],
				},
				{ mode: "hybrid" },
			),
		},
	}),
	"graphs.export": reading("graphs.export", {
		summary: "Export a graph",
		description: `The whole graph as one file within the answer: okf (a zip archive, as base64), jsonld, ndjson, csv (one table) or graphml; up to ${READING_LIMITS.exportBytes / 1e6} MB. The price is that of its nodes page by page: once for every ${READING_LIMITS.exportNodesPerUnit} of them begun, so that the free plan covers a graph of one page.`,
		pricePer: `${READING_LIMITS.exportNodesPerUnit} nodes`,
		query: exportQuery,
		reply: exportReply,
		example: { path, query: { format: "csv", table: "edges" }, reply: toGraphReply(EXPORT) },
	}),
	"graphs.changes": reading("graphs.changes", {
		summary: "Changes of a graph",
		description:
			"Nodes added, changed and removed since a cursor; without one, a cursor to begin with. Revisions are remembered while the service runs; beyond that the dates of the nodes tell, and the answer says so.",
		query: changesQuery,
		reply: changesReply,
		example: {
			path,
			query: { since: "2026-01-01", limit: "5" },
			reply: toGraphReply(
				{ items: [CHANGE], basis: "files", is_complete: true },
				{ revision: NODE.provenance.content_hash, has_more: false, next_cursor: "WyJ4IiwieSJd" },
			),
		},
	}),
};
