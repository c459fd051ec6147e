import { z } from "zod";
import { parseInput, queryField, type RowWire } from "../contract/contract.js";
import { notFound } from "../kernel/kernel.js";
import { receiptMetaOf } from "./payment-meta.js";
import { priceSentence, sell, toSoldBody } from "./sold-tool.js";
import { READS, type Tool, type ToolCall, type ToolDeps } from "./tool.js";
import { toInputSchema, toOutputSchema } from "./tool-schema.js";

const RESULTS = 10;

const searchInput = z.strictObject({ query: queryField.describe("Question in plain language") });
const searchOutput = z.object({
	results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string() })),
});
const fetchInput = z.strictObject({
	id: z.string().min(1, "must not be empty").max(300).describe("id of a search result"),
});
const fetchOutput = z.object({
	id: z.string(),
	title: z.string(),
	text: z.string(),
	url: z.string(),
	metadata: z.record(z.string(), z.string()),
});

/** The two tools a connector must have, in exactly the shapes it asks for. */
export const createConnectorTools = (deps: ToolDeps): readonly Tool[] => [
	createSearch(deps),
	createFetch(deps),
];

function createSearch(deps: ToolDeps): Tool {
	const { prices, info, skills } = deps.service;
	return {
		listed: {
			name: "search",
			title: "Search all graphs",
			description: `Ranked concepts from every knowledge graph for a question. ${priceSentence(prices, skills["search.all"])}`,
			inputSchema: toInputSchema(searchInput, { query: "Question in plain language" }),
			outputSchema: toOutputSchema(searchOutput),
			annotations: READS,
		},
		async answer(call) {
			const { query } = parseInput(searchInput, call.args);
			const rawInput = { query, limit: RESULTS };
			const result = await sell(deps, call, { operationId: "search.all", rawInput });
			const { rows } = result.output as { readonly rows: readonly RowWire[] };
			const results = rows.map(({ trend_id: id, name: title }) => ({
				id,
				title,
				url: urlOf(info.baseUrl(), id),
			}));
			return { data: { results }, meta: metaOf(call, result) };
		},
	};
}

interface Node {
	readonly trend_id: string;
	readonly title: string;
	readonly type: string;
	readonly summary: string;
	readonly body: string;
	readonly trust_tier: string;
	readonly evidence: readonly {
		readonly title: string;
		readonly source_url: string;
		readonly published_at: string | null;
	}[];
}

function createFetch(deps: ToolDeps): Tool {
	const { prices, info, skills } = deps.service;
	return {
		listed: {
			name: "fetch",
			title: "Read one result",
			description: `The whole text of one search result with its sources. ${priceSentence(prices, skills["graphs.node"])}`,
			inputSchema: toInputSchema(fetchInput, { id: "id of a search result" }),
			outputSchema: toOutputSchema(fetchOutput),
			annotations: READS,
		},
		async answer(call) {
			const { id } = parseInput(fetchInput, call.args);
			const place = placeOf(id);
			const result = await sell(deps, call, { operationId: "graphs.node", rawInput: place });
			const { data: node } = result.output as { readonly data: Node };
			const [source] = node.evidence;
			return {
				data: {
					id,
					title: node.title,
					text: toDocument(node),
					url: urlOf(info.baseUrl(), id),
					metadata: {
						graph_id: place.graph_id,
						type: node.type,
						trust_tier: node.trust_tier,
						...(source && { source_url: source.source_url }),
					},
				},
				meta: metaOf(call, result),
			};
		},
	};
}

/** The text with its sources, so that anyone who quotes it can name them. */
function toDocument({ summary, body, evidence }: Node): string {
	const sources = evidence.map(
		({ title, source_url, published_at }, index) =>
			`[${index + 1}] ${title}, ${published_at ?? "undated"}: ${source_url}`,
	);
	return [body.trim() || summary, ...(sources.length > 0 ? ["Sources:", ...sources] : [])].join(
		"\n",
	);
}

/** Throws NOT_FOUND for what is no id of a result. */
function placeOf(id: string): { readonly graph_id: string; readonly node_id: string } {
	const [graph_id = "", ...rest] = id.split(":");
	const node_id = rest.join(":");
	if (graph_id !== "" && node_id !== "") return { graph_id, node_id };
	throw notFound(`No search result has the id "${id.slice(0, 80)}"; use one that search gave.`);
}

function urlOf(baseUrl: string, id: string): string {
	const { graph_id, node_id } = placeOf(id);
	return `${baseUrl}/v1/graphs/${encodeURIComponent(graph_id)}/nodes/${encodeURIComponent(node_id)}`;
}

/** What it cost stands beside the answer: the shape of the answer itself is the connector's. */
function metaOf({ exchange }: ToolCall, result: Awaited<ReturnType<typeof sell>>) {
	const { meta } = toSoldBody(result, exchange.requestId);
	return { "tollgraph/cost": meta["cost"], ...receiptMetaOf(result.paymentHeaders) };
}
