import { z } from "zod";
import {
	graphIdField,
	outputOf,
	pageQuery,
	replyComponent,
	toReply,
} from "../../src/contract/contract.js";
import { toTrendId } from "../../src/knowledge/knowledge.js";
import { answerOn, GRAPH_PARAMS, readingOperation, toPage } from "./graph-reading.js";
import { listMeta, pageFields } from "./graph-wire.js";
import { conceptAt, degreeAt, mapOf } from "./reading/graph-map.js";
import { type Topic, topicIndex } from "./reading/topics.js";

const LEADS = 5;
const LABEL_TERMS = 3;

const topicSchema = replyComponent(
	"GraphTopic",
	z.object({
		topic: z.int().describe("Its place by size, from 1 on, within this version of the graph"),
		label: z.string().describe("The words that set it apart most"),
		terms: z.array(z.string()),
		nodes: z.int(),
		share: z.number().describe("Of the graph's nodes, 0 to 1"),
		sources: z.int().describe("Distinct sources of its nodes"),
		leading_nodes: z
			.array(
				z.object({
					node_id: z.string(),
					trend_id: z.string(),
					title: z.string(),
					type: z.string(),
					degree: z.int(),
				}),
			)
			.describe("Those with most edges"),
	}),
);
const output = outputOf(
	z.object({ items: z.array(topicSchema) }),
	listMeta.extend({
		unlinked: z.int().describe("Nodes that are linked with nothing and so in no topic"),
	}),
);

/** What a graph is about. Additive to the contract. */
export const graphTopics = readingOperation({
	id: "graphs.topics",
	at: "GET /v1/graphs/{graph_id}/topics",
	agent: {
		name: "graph_topics",
		tool: {
			title: "Topics of a graph",
			description:
				"What a graph is about: groups of nodes that are linked more with each other than with the rest, each with a label and its leading nodes.",
			fields: {
				graph_id: "Graph",
				limit: "Number of topics",
				cursor: "next_cursor of the page before",
			},
		},
	},
	summary: "Topics of a graph",
	description:
		"Groups of nodes that are linked more with each other than with the rest, or cite the same sources (Louvain method), the largest first, labeled by the tags and words of their titles that set them apart.",
	query: z.strictObject(pageQuery),
	reply: toReply("GraphTopicsReply", output),
	about:
		"What one graph is about: groups of nodes that hang together, each with a label, its size, sources and leading nodes. Not charged where nothing is linked.",
	tags: ["graph", "topics", "communities"],
	examples: ["What is this graph about?"],
	input: z.strictObject({ graph_id: graphIdField, ...pageFields }),
	output,
	index: topicIndex,
	exampleInput: () => ({ limit: 5 }),
	check: (_, input) => void placeOn(input),
	toText: ({ data: { items } }) =>
		items.map(({ topic, label, nodes }) => `${topic}. ${label} (${nodes} nodes)`).join("\n"),
	create: () => (graph, input) => {
		const { topics, unlinked } = topicIndex.of(graph);
		const page = placeOn(input);
		const shown = topics.slice(page.begin, page.begin + input.limit);
		const map = mapOf(graph);
		const items = shown.map(({ terms, places, sources }: Topic, at) => ({
			topic: page.begin + at + 1,
			label: terms.slice(0, LABEL_TERMS).join(", "),
			terms: [...terms],
			nodes: places.length,
			share: Math.round((places.length / map.concepts.length) * 1e4) / 1e4,
			sources,
			leading_nodes: places.slice(0, LEADS).map((place) => {
				const { id, title, type } = conceptAt(map, place);
				const trend_id = toTrendId(graph.record.id, id);
				return { node_id: id, trend_id, title, type, degree: degreeAt(map, place) };
			}),
		}));
		const end = page.begin + shown.length;
		const next_cursor = page.next(end < topics.length, [String(end)]);
		return answerOn(graph, items.length > 0, { items }, { next_cursor, unlinked });
	},
	example: { params: GRAPH_PARAMS, query: { limit: "3" } },
});

function placeOn(input: { readonly graph_id: string; cursor?: string | undefined; limit: number }) {
	const page = toPage("topics", input, 1);
	const begin = Number(page.after?.[0] ?? 0);
	return { ...page, begin: Number.isSafeInteger(begin) && begin > 0 ? begin : 0 };
}
