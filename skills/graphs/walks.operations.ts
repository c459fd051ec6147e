import { toReply } from "../../src/contract/contract.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import {
	answerOn,
	GRAPH_PARAMS,
	NODE_ID,
	NODE_PARAMS,
	nodeParams,
	OTHER_ID,
	readingOperation,
	toEdge,
	toNodeItem,
} from "./graph-reading.js";
import {
	neighborsInput,
	neighborsOutput,
	neighborsQuery,
	pathsBody,
	pathsInput,
	pathsOutput,
	subgraphBody,
	subgraphInput,
	subgraphOutput,
} from "./graph-wire.js";
import { placeOf } from "./reading/graph-map.js";
import { findNeighbors, growSubgraph, type SubgraphNode } from "./reading/neighborhood.js";
import { findPaths, type Path } from "./reading/paths.js";
import type { Step } from "./reading/walk.js";

const toStepWire = (step: Step) => ({ ...toEdge(step), direction: step.direction });

/** What lies around a node. Additive to the contract. */
export const graphNeighbors = readingOperation({
	id: "graphs.neighbors",
	at: "GET /v1/graphs/{graph_id}/nodes/{node_id}/neighbors",
	agent: {
		name: "neighbors",
		tool: {
			title: "Neighbors of a node",
			description: "Nodes that are linked with one, up to some steps away.",
			fields: {
				graph_id: "Graph id; list_graphs and route_query name them",
				node_id: "Node id: what follows the colon in a row's trend_id",
				edge_types: "Only these kinds of edge",
				direction: "Which way edges are followed",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
				depth: "Steps away; 1 if left out",
				limit: "Neighbors wanted; 10 if left out",
			},
		},
	},
	summary: "Neighbors of a node",
	description: "Nodes around one, nearest first and then heaviest, at most three edges away.",
	params: nodeParams,
	query: neighborsQuery,
	reply: toReply("GraphNeighborsReply", neighborsOutput),
	about:
		"Nodes around one, nearest first and then heaviest, along edges of the types and directions asked for, up to three edges away. Not charged when there is none.",
	tags: ["graph", "neighbors"],
	examples: ["What is EIP-3009 connected to?"],
	input: neighborsInput,
	output: neighborsOutput,
	exampleInput: ([node_id]) => ({ node_id, limit: 5 }),
	check: (graph, { node_id }) => void placeOf(graph, node_id),
	toText: ({ data }) => data.items.map(({ node, via }) => `${node.title} (${via.type})`).join("\n"),
	create:
		() =>
		(graph, { node_id, ...options }) => {
			const found = findNeighbors(graph, node_id, options);
			const items = found.items.map(({ concept, distance, weight, step }) => ({
				node: toNodeItem(graph, concept),
				distance,
				weight,
				via: toStepWire(step),
			}));
			return answerOn(graph, items.length > 0, { items, is_complete: found.isComplete });
		},
	example: { params: NODE_PARAMS, query: { direction: "out", limit: "5" } },
});

/** How two nodes hang together. Additive to the contract. */
export const graphPaths = readingOperation({
	id: "graphs.paths",
	at: "POST /v1/graphs/{graph_id}/paths",
	agent: {
		name: "find_paths",
		tool: {
			title: "Paths between two nodes",
			description: "How two concepts of a graph are connected, shortest first.",
			fields: {
				graph_id: "Graph id; list_graphs and route_query name them",
				from: "Node id to begin at",
				to: "Node id to arrive at",
				edge_types: "Only these kinds of edge",
				direction: "Which way edges are followed",
				as_of: "As of this day, YYYY-MM-DD; today if left out",
				max_steps: "Edges of one path at most",
				limit: "Paths wanted; 3 if left out",
			},
		},
	},
	summary: "Paths between two nodes",
	description:
		"The shortest ways without going anywhere twice. The length of an edge is one over its weight.",
	body: pathsBody,
	reply: toReply("GraphPathsReply", pathsOutput),
	about:
		"The shortest ways between two nodes without going anywhere twice; the length of an edge is one over its weight. Not charged when there is none.",
	tags: ["graph", "paths"],
	examples: ["How do domain separators relate to gasless transfers?"],
	input: pathsInput,
	output: pathsOutput,
	exampleInput: ([from, to]) => ({ from, to }),
	check: (graph, { from, to }) => {
		placeOf(graph, from);
		placeOf(graph, to);
	},
	toText: ({ data }) =>
		data.items.map(({ nodes }) => nodes.map(({ title }) => title).join(" → ")).join("\n"),
	create:
		() =>
		(graph, { from, to, ...options }) => {
			const found = findPaths(graph, { from, to }, options);
			const items = found.items.map(toPathWire);
			return answerOn(graph, items.length > 0, { items, is_complete: found.isComplete });
		},
	example: { params: GRAPH_PARAMS, body: { from: NODE_ID, to: OTHER_ID, limit: 2 } },
});

function toPathWire({ steps, length }: Path) {
	const concepts = steps.flatMap(({ from, to }, index) => (index === 0 ? [from, to] : [to]));
	return {
		length,
		nodes: concepts.map(({ id, title, type }) => ({ node_id: id, title, type })),
		steps: steps.map(toStepWire),
	};
}

/** What lies around some nodes, as a graph of its own. Additive to the contract. */
export const graphSubgraph = readingOperation({
	id: "graphs.subgraph",
	at: "POST /v1/graphs/{graph_id}/subgraph",
	summary: "Grow a subgraph from seeds",
	description:
		"The nodes nearest to the seeds and every edge between them, under a budget of nodes and bytes.",
	body: subgraphBody,
	reply: toReply("SubgraphReply", subgraphOutput),
	about:
		"The nodes nearest to some seeds and every edge between them, under a budget of nodes and bytes; each node hangs together with a seed.",
	tags: ["graph", "subgraph"],
	examples: ["Give me everything around these three standards."],
	input: subgraphInput,
	output: subgraphOutput,
	exampleInput: (seeds) => ({ seeds: [...new Set(seeds)], max_nodes: 10 }),
	check: (graph, { seeds }) => {
		for (const seed of seeds) placeOf(graph, seed);
	},
	create:
		() =>
		(graph, { seeds, ...options }) => {
			const toNode = (node: SubgraphNode) => toSubgraphNode(graph, node);
			const sizes = {
				ofNode: (node: SubgraphNode) => bytesOf(toNode(node)),
				ofEdge: (edge: Step) => bytesOf(toEdge(edge)),
			};
			const found = growSubgraph(graph, seeds, { ...options, sizes });
			const [nodes, edges] = [found.nodes.map(toNode), found.edges.map(toEdge)];
			const bytes = [...nodes, ...edges].reduce((sum, item) => sum + bytesOf(item), 0);
			const data = { nodes, edges, bytes, is_complete: found.isComplete };
			return answerOn(graph, nodes.length > 0, data);
		},
	example: { params: GRAPH_PARAMS, body: { seeds: [NODE_ID], max_nodes: 2 } },
});

function toSubgraphNode(graph: Graph, { concept, distance }: SubgraphNode) {
	return { ...toNodeItem(graph, concept), distance };
}

/** With the comma that follows it. */
function bytesOf(item: object): number {
	return Buffer.byteLength(JSON.stringify(item)) + 1;
}
