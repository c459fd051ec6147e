import { z } from "zod";
import {
	conceptFiltersSchema,
	defineSkill,
	explainField,
	graphIdField,
	LIMITS,
	limitField,
	queryField,
	type Skill,
	searchResponseSchema,
} from "../../src/contract/contract.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { type SearchSkillDeps, searchAndAnswer, toSearchText } from "./search-answer.js";

const EXAMPLE_GRAPH = "agent-payments";
const EXAMPLE_QUERY = "Which HTTP status code asks for payment?";

/** Ranked rows of one graph for a query, each with the evidence that carries it. Spec: Endpoints, paid operations. */
export const createGraphSearch = ({
	catalog,
	...deps
}: SearchSkillDeps & { catalog: GraphCatalog }): Skill<"graphs.search"> =>
	defineSkill({
		operationId: "graphs.search",
		title: "Search a knowledge graph",
		description:
			"Ranked, cited rows of one curated knowledge graph for a question in plain language. Graph ids are listed by /v1/graphs/catalog. Not charged when the graph has no answer.",
		tags: ["search", "knowledge-graph", "evidence"],
		examples: ["How does HTTP 402 let an agent pay for a single call?"],
		// Documents and probes use it as it stands, so it names a graph that is on sale here.
		get exampleInput() {
			return { graph_id: exampleGraph(catalog), query: EXAMPLE_QUERY, limit: 3 };
		},
		input: z.strictObject({
			graph_id: graphIdField,
			query: queryField,
			limit: limitField.default(LIMITS.rowsDefault),
			filters: conceptFiltersSchema.optional(),
			explain: explainField,
		}),
		output: searchResponseSchema,
		capture: "onResult",
		toText: toSearchText,
		queryOf: ({ query }) => query,
		graphsOf: ({ graph_id }) => [graph_id],
		prepare: ({ graph_id }) => catalog.assertKnown(graph_id), // NOT_FOUND before anybody pays
		run: ({ graph_id, ...request }, { signal }) =>
			searchAndAnswer(deps, {
				...request,
				graphs: [catalog.get(graph_id)],
				graphId: graph_id,
				signal,
			}),
	});

function exampleGraph(catalog: GraphCatalog): string {
	const [first] = catalog.list();
	const graph = catalog.find(EXAMPLE_GRAPH) ?? first;
	return graph?.record.id ?? EXAMPLE_GRAPH;
}
