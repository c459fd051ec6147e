import {
	isAnswered,
	LIMITS,
	READING_LIMITS,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { type Concept, runInTurns, truncateText } from "../../src/knowledge/knowledge.js";
import type { RankedConcept } from "../../src/search/search.js";
import { toConceptFilter, toEvidence } from "../search/search.js";
import {
	contextBody,
	contextInput,
	contextOutput,
	similarBody,
	similarInput,
	similarOutput,
} from "./graph-feed-wire.js";
import { answerOn, GRAPH_PARAMS, NODE_ID, readingOperation, toNodeItem } from "./graph-reading.js";
import { createPassageRanking, packContext } from "./reading/context-pack.js";
import { getConcept, placeOf } from "./reading/graph-map.js";

/** What a graph says to a question, cut to fit into a prompt. Additive to the contract. */
export const graphContext = readingOperation({
	id: "graphs.context",
	at: "POST /v1/graphs/{graph_id}/context",
	agent: {
		name: "get_context",
		aliases: ["context_pack"],
		tool: {
			title: "Context for a question, within a token budget",
			description:
				"The passages of one graph that bear on a question, cited, cut to a budget of tokens.",
			fields: {
				graph_id: "Graph id; list_graphs and route_query name them",
				query: "Question in plain language",
				max_tokens: "Budget in tokens; 2000 if left out",
			},
		},
	},
	summary: "Pack context for a prompt",
	description:
		"Passages that answer a question, with numbered citations, under a budget of tokens. The estimate counts one token per four letters begun of a word, three digits of a number, and every mark.",
	body: contextBody,
	reply: toReply("ContextPackReply", contextOutput),
	about:
		"The passages of one graph that answer a question, with numbered citations, packed under a budget of tokens and ready to paste into a prompt. Not charged when the graph has no answer.",
	tags: ["graph", "context", "citations"],
	examples: ["What do I need to know about gasless transfers, in 500 tokens?"],
	input: contextInput,
	output: contextOutput,
	exampleInput: () => ({ query: "Which HTTP status code asks for payment?", max_tokens: 500 }),
	toText: ({ data }) => data.context,
	create: ({ search }: Pick<SkillServices, "search">) => {
		const rank = createPassageRanking();
		return async (graph, { query, max_tokens, filters }, { signal }) => {
			const found = await search.find({
				graphs: [graph],
				query,
				limit: READING_LIMITS.contextNodesMax,
				filter: toConceptFilter(filters),
				signal,
			});
			const rows = isAnswered(found.decision) ? found.rows : [];
			const ranked = rank(
				query,
				rows.map(({ concept }) => concept),
			);
			const pack = await runInTurns(packContext(ranked, max_tokens), signal);
			const data = {
				context: pack.text,
				tokens: pack.tokens,
				nodes: [...pack.concepts].map(([{ id, title }, passages]) => {
					return { node_id: id, title, passages };
				}),
				citations: pack.sources.map((source) => {
					return { ...toEvidence(source), number: source.number };
				}),
			};
			const { decision, mode, missing } = found;
			const meta = { query, decision, mode, missing: [...missing] };
			return answerOn(graph, pack.concepts.size > 0, data, meta);
		};
	},
	example: {
		params: GRAPH_PARAMS,
		body: {
			query: "Which standard lets a token holder sign a transfer that somebody else submits?",
			max_tokens: 500,
		},
	},
});

/** Nodes that are like a text or like another node. Additive to the contract. */
export const graphSimilar = readingOperation({
	id: "graphs.similar",
	at: "POST /v1/graphs/{graph_id}/similar",
	agent: {
		name: "find_similar",
		aliases: ["graph_similar"],
		tool: {
			title: "Nodes like a text or a node",
			description: "Concepts of a graph that resemble a text, or another node.",
			fields: {
				graph_id: "Graph id; list_graphs and route_query name them",
				text: "Text to resemble",
				node_id: "Node id, instead of text",
				limit: "Rows wanted; 5 if left out",
			},
			defaults: { limit: 5 },
		},
	},
	summary: "Find similar nodes",
	description:
		"Nodes nearest in meaning to a text or a node, and what they have in common with it.",
	body: similarBody,
	reply: toReply("SimilarNodesReply", similarOutput),
	about:
		"The nodes of one graph nearest in meaning to a text or to another node, and what they have in common with it. By keywords while no embedding model is at hand. Not charged when there is none, nor when a text says too little to be like anything (CLARIFY).",
	tags: ["graph", "similar"],
	examples: ["Which nodes are like EIP-3009?"],
	input: similarInput,
	output: similarOutput,
	exampleInput: ([node_id]) => ({ node_id, limit: 5 }),
	check: (graph, { node_id }) => {
		if (node_id !== undefined) placeOf(graph, node_id);
	},
	toText: ({ data }) => data.items.map(({ title }) => title).join("\n"),
	queryOf: ({ text }) => text,
	create:
		({ search }: Pick<SkillServices, "search">) =>
		async (graph, { text, node_id, limit, filters }, { signal }) => {
			const like = node_id === undefined ? undefined : getConcept(graph, node_id);
			const query = text ?? (like ? textOf(like) : "");
			const found = await search.find({
				graphs: [graph],
				query,
				limit: Math.min(limit + 1, LIMITS.rowsMax + 1),
				filter: toConceptFilter(filters),
				signal,
			});
			const { mode, decision, missing } = found;
			// A node is what it is; of a text the search decides whether it says enough.
			const asked = like ? { decision: "ANSWER" as const, missing: [] } : { decision, missing };
			const others = withDuplicates(isAnswered(asked.decision) ? found.rows : [])
				.filter(({ concept }) => concept.id !== node_id)
				.slice(0, limit);
			const items = others.map(({ concept, score }) => ({
				...toNodeItem(graph, concept),
				score: Math.round(score * 10_000) / 10_000,
				...inCommon(concept, like),
			}));
			const meta = { mode, decision: asked.decision, missing: [...asked.missing] };
			return answerOn(graph, items.length > 0, { items }, meta);
		},
	example: { params: GRAPH_PARAMS, body: { node_id: NODE_ID, limit: 5 } },
});

/** A search shows one of several that say the same; who asks for likeness wants them all. */
function withDuplicates(
	rows: readonly RankedConcept[],
): readonly Pick<RankedConcept, "concept" | "score">[] {
	return rows.flatMap((row) => [
		row,
		...row.duplicates.map(({ concept }) => ({ concept, score: row.score })),
	]);
}

/** What a node is about, as a query: a longer one would be about everything. */
function textOf({ title, summary }: Concept): string {
	return truncateText(`${title}. ${summary}`, QUERY_CHARS);
}

const QUERY_CHARS = 400;

function inCommon(concept: Concept, like: Concept | undefined) {
	const tags = new Set(like?.tags);
	const sources = new Set(like?.evidence.map(({ sourceUrl }) => sourceUrl));
	const shared = concept.evidence.filter(({ sourceUrl }) => sources.has(sourceUrl));
	const leadsTo = (from: Concept | undefined, to: Concept | undefined) =>
		from?.edges.some(({ target }) => target === to?.id) ?? false;
	return {
		shared_tags: concept.tags.filter((tag) => tags.has(tag)),
		shared_sources: new Set(shared.map(({ sourceUrl }) => sourceUrl)).size,
		is_linked: leadsTo(like, concept) || leadsTo(concept, like),
	};
}
