import { z } from "zod";
import { graphIdField, LIMITS, queryField } from "../contract/contract.js";
import { JOB_LIMITS, jobIdField } from "../jobs/jobs.js";
import { createFreeTool, ENDS, type Tool, type ToolDeps } from "./tool.js";

const PAGE = 25;
const README_CHARS = 20_000;

const countField = (most: number, fallback: number) =>
	z
		.int("must be a whole number")
		.min(1, "must be at least 1")
		.max(most, `must be at most ${most}`)
		.default(fallback)
		.describe(`How many, ${fallback} if left out`);
const cursorField = z.string().max(500).optional().describe("next_cursor of the page before");
const listOutput = z.looseObject({ items: z.array(z.looseObject({})) });
const anything = z.looseObject({});

/** What an agent may look at before it pays: which graphs and experts there are, and which would answer. */
export function createLookupTools(deps: ToolDeps): readonly Tool[] {
	return [
		createFreeTool(deps, {
			name: "route_query",
			title: "Find the graphs that would answer",
			description:
				"Says which graphs would answer a question, how well, and what the search costs. Begin here when you do not know the graph.",
			input: z.strictObject({
				query: queryField.describe("Question in plain language"),
				limit: countField(20, 5),
			}),
			output: z.looseObject({ query: z.string(), graphs: z.array(z.looseObject({})) }),
			rate: { operationId: "search.route", perMinute: LIMITS.routedQueriesPerMinute },
			answer: ({ free }, { input, signal }) => free.searchRoute(input, signal),
		}),
		createFreeTool(deps, {
			name: "match_experts",
			title: "Find experts for a question",
			description:
				"Names the experts whose notes bear on a question, and why. Then ask consult_expert.",
			input: z.strictObject({
				question: queryField.describe("What somebody should be able to answer"),
				limit: countField(20, 5),
			}),
			output: listOutput,
			rate: { operationId: "experts.match", perMinute: LIMITS.routedQueriesPerMinute },
			answer: async ({ free }, { input, signal }) => ({
				items: await free.expertsMatch(input.question, input.limit, signal),
			}),
		}),
		...createCatalogTools(deps),
		...createJobTools(deps),
	];
}

function createCatalogTools(deps: ToolDeps): readonly Tool[] {
	return [
		createFreeTool(deps, {
			name: "list_graphs",
			title: "List the graphs",
			description: "Every knowledge graph on sale with its id, topics, size and price.",
			input: z.strictObject({ limit: countField(100, PAGE), cursor: cursorField }),
			output: listOutput,
			answer: ({ free }, { input }) => free.graphsCatalog(input),
		}),
		createFreeTool(deps, {
			name: "read_graph_readme",
			title: "Read what a graph covers",
			description: "What a graph is about, what it covers, example questions and who made it.",
			input: z.strictObject({ graph_id: graphIdField.describe("Graph id") }),
			output: z.looseObject({ graph_id: z.string(), text: z.string() }),
			answer: ({ free }, { input: { graph_id } }) => ({
				graph_id,
				text: textOf(free.graphReadme(graph_id).body).slice(0, README_CHARS),
			}),
		}),
		createFreeTool(deps, {
			name: "preview_graph",
			title: "Look at two rows of a graph",
			description: "Two real rows of a graph with their evidence, before you pay for a search.",
			input: z.strictObject({ graph_id: graphIdField.describe("Graph id") }),
			output: anything,
			rate: { operationId: "graphs.preview", perMinute: LIMITS.previewsPerMinute },
			answer: ({ free }, { input }) => free.graphPreview(input.graph_id),
		}),
		createFreeTool(deps, {
			name: "list_analysts",
			title: "List the analysts",
			description: "Synthetic analysts with their domain and method. Then ask consult_analyst.",
			input: z.strictObject({}),
			output: listOutput,
			answer: ({ free }) => free.analysts.list(),
		}),
	];
}

function createJobTools(deps: ToolDeps): readonly Tool[] {
	const input = z.strictObject({ job_id: jobIdField.describe("job_id of start_deep_dive") });
	const output = z.looseObject({ job_id: z.string(), status: z.string() });
	return [
		createFreeTool(deps, {
			name: "get_deep_dive",
			title: "Status and report of a deep dive",
			description:
				"Where a deep dive stands, and its cited report once it is completed. Ask again after some seconds while it is queued or running.",
			input,
			output,
			rate: { operationId: "research.deep_dive.status", perMinute: JOB_LIMITS.pollsPerMinute },
			answer: async ({ owner }, { input, exchange }) => ({
				...(await owner.jobs.status(await exchange.caller(), input.job_id)),
			}),
		}),
		createFreeTool(deps, {
			name: "cancel_deep_dive",
			title: "Cancel a deep dive",
			description: "Stops a deep dive; passes that were not begun are not charged.",
			input,
			output,
			hints: ENDS,
			rate: {
				operationId: "research.deep_dive.cancel",
				perMinute: LIMITS.accountChangesPerMinute,
			},
			answer: async ({ owner }, { input, exchange }) => ({
				...(await owner.jobs.cancel(await exchange.caller(), input.job_id)),
			}),
		}),
	];
}

export function textOf(body: string | Uint8Array): string {
	return typeof body === "string" ? body : Buffer.from(body).toString("utf8");
}
