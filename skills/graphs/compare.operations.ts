import { z } from "zod";
import {
	graphIdField,
	invalidInput,
	LIMITS,
	limitField,
	outputOf,
	paidOperation,
	replyComponent,
	requestComponent,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { type Graph, toTrendId } from "../../src/knowledge/knowledge.js";
import { answerIf } from "./graph-reading.js";
import { type Comparison, compareGraphs } from "./reading/compare-graphs.js";
import { conceptAt, graphMaps, mapOf } from "./reading/graph-map.js";

const compareFields = {
	graph_id: graphIdField,
	other_graph_id: graphIdField.describe("The graph it is compared with"),
	limit: limitField.default(LIMITS.rowsDefault).describe("Longest of each list"),
};

const nodeName = z.object({ node_id: z.string(), trend_id: z.string(), title: z.string() });
const sideSchema = z.object({
	graph_id: z.string(),
	title: z.string(),
	version: z.string(),
	nodes: z.int(),
	edges: z.int(),
	only_nodes: z
		.array(nodeName)
		.describe("Whose names the other has not, those with most edges first"),
	only_nodes_count: z.int(),
	only_tags: z.array(z.string()).describe("Which the other has not, the most frequent first"),
});

const output = outputOf(
	replyComponent(
		"GraphComparison",
		z.object({
			shared_nodes: z
				.array(
					z.object({
						title: z.string(),
						nodes: z.array(nodeName).describe("Of the one graph, then of the other"),
					}),
				)
				.describe("Nodes that have a name in common, those with most edges first"),
			shared_sources: z.array(z.object({ title: z.string(), source_url: z.string() })),
			shared_tags: z.array(z.string()),
			counts: z
				.object({ nodes: z.int(), sources: z.int(), tags: z.int() })
				.describe("How many are shared, listed or not"),
			likeness: z
				.object({ sources: z.number(), tags: z.number() })
				.describe("Shared ones among all of both (Jaccard), 0 to 1"),
			graphs: z.array(sideSchema).describe("Both, in the order that was asked"),
		}),
	),
	z.object({}),
);

/** What two graphs share, and what each has alone. Additive to the contract. */
export const graphCompare = paidOperation({
	id: "graphs.compare",
	at: "POST /v1/graphs/compare",
	agent: {
		name: "compare_graphs",
		tool: {
			title: "Compare two graphs",
			description: "What two graphs have in common, and what each has that the other has not.",
			fields: {
				graph_id: "One graph",
				other_graph_id: "The other graph",
				limit: "Longest of each list",
			},
		},
	},
	summary: "Compare two graphs",
	description:
		"Nodes of one name, sources of one address and tags that two graphs on sale share, and what each of them has alone. Paid per call; graphs that share neither node nor source get numbers without lists, and cost nothing, as graphs that do not exist do. Versions of one graph are told apart by GET /v1/graphs/{graph_id}/changes.",
	body: requestComponent("GraphCompareRequest", z.strictObject(compareFields)),
	reply: toReply("GraphCompareReply", output),
	about:
		"What two graphs share, by names, sources and tags, and what each has alone. Not charged where they share neither node nor source.",
	tags: ["graph", "comparison"],
	examples: ["What do these two graphs have in common?"],
	output,
	graphsOf: ({ graph_id, other_graph_id }) => [graph_id, other_graph_id],
	toText: ({ data: { counts, shared_nodes, graphs } }) => {
		const names = graphs.map(({ title }) => title).join(" and ");
		const { nodes, sources, tags } = counts;
		const head = `${names} share ${nodes} nodes, ${sources} sources and ${tags} tags.`;
		return [head, ...shared_nodes.map(({ title }) => `- ${title}`)].join("\n");
	},
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => {
			const [one, other] = catalog.list().map(({ record }) => record.id);
			const isSample = EXAMPLE_IDS.every((id) => catalog.find(id));
			const [graph_id, other_graph_id] = isSample ? EXAMPLE_IDS : [one, other ?? one];
			return { graph_id, other_graph_id, limit: 3 };
		},
		isOffered: () => catalog.list().length > 1,
		prepare({ graph_id, other_graph_id }) {
			if (graph_id === other_graph_id)
				throw invalidInput([{ path: "other_graph_id", message: "must name another graph" }]);
			catalog.assertKnown(graph_id);
			catalog.assertKnown(other_graph_id);
		},
		async run({ graph_id, other_graph_id, limit }) {
			const graphs = [catalog.get(graph_id), catalog.get(other_graph_id)] as const;
			for (const graph of graphs) await graphMaps.ready(graph);
			const found = await compareGraphs(...graphs);
			const isWorth = found.nodes.length + found.sources.length > 0;
			// What no one pays for shows how many there are, and none of them.
			const data = toWire(graphs, found, isWorth ? limit : 0);
			return answerIf(isWorth, { ok: true, data, meta: {} });
		},
	}),
	example: {
		body: { graph_id: "agent-payments", other_graph_id: "ethereum-standards", limit: 3 },
	},
});

const EXAMPLE_IDS = ["agent-payments", "ethereum-standards"] as const;

function toWire(graphs: readonly [Graph, Graph], found: Comparison, limit: number) {
	const [one, other] = graphs;
	return {
		shared_nodes: found.nodes.slice(0, limit).map(({ places: [place, twin] }) => ({
			title: conceptAt(mapOf(one), place).title,
			nodes: [toName(one, place), toName(other, twin)],
		})),
		shared_sources: found.sources
			.slice(0, limit)
			.map(({ title, sourceUrl: source_url }) => ({ title, source_url })),
		shared_tags: found.tags.slice(0, limit),
		counts: {
			nodes: found.nodes.length,
			sources: found.sources.length,
			tags: found.tags.length,
		},
		likeness: found.likeness,
		graphs: graphs.map((graph, at) => toSide(graph, found.own[at], limit)),
	};
}

function toSide(graph: Graph, own: Comparison["own"][number] | undefined, limit: number) {
	const { id: graph_id, title, version } = graph.record;
	const { places = [], tags = [] } = own ?? {};
	const { concepts, edges } = mapOf(graph);
	return {
		...{ graph_id, title, version },
		nodes: concepts.length,
		edges: edges.length,
		only_nodes: places.slice(0, limit).map((place) => toName(graph, place)),
		only_nodes_count: places.length,
		only_tags: tags.slice(0, limit),
	};
}

function toName(graph: Graph, place: number) {
	const { id, title } = conceptAt(mapOf(graph), place);
	return { node_id: id, trend_id: toTrendId(graph.record.id, id), title };
}
