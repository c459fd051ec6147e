import { z } from "zod";
import {
	defineSkill,
	explainField,
	type GraphType,
	graphFiltersSchema,
	LIMITS,
	limitField,
	type PaidOperationId,
	queryField,
	type Skill,
	searchResponseSchema,
} from "../../src/contract/contract.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { type SearchSkillDeps, searchAndAnswer, toSearchText } from "./search-answer.js";

interface KindSearch<Id extends PaidOperationId> {
	readonly operationId: Id;
	/** Undefined for graphs of every kind. */
	readonly type?: GraphType;
	readonly title: string;
	readonly description: string;
	readonly tags: readonly string[];
	readonly example: string;
}

type KindSearchDeps = SearchSkillDeps & { readonly catalog: GraphCatalog };

/** Trends and evidence over every domain graph. */
export const createDomainSearch = (deps: KindSearchDeps): Skill<"search.domain"> =>
	createKindSearch(deps, {
		operationId: "search.domain",
		type: "domain",
		title: "Search all domain graphs",
		description:
			"Ranked, cited rows over all domain graphs of the catalog: trends, standards and mechanisms with dated evidence. Not charged when nothing answers.",
		tags: ["search", "domain", "evidence"],
		example: "Which HTTP status code asks for payment?",
	});

/** Rows over every industry report. */
export const createReportSearch = (deps: KindSearchDeps): Skill<"search.report"> =>
	createKindSearch(deps, {
		operationId: "search.report",
		type: "industry report",
		title: "Search all industry reports",
		description:
			"Ranked, cited rows over all industry reports of the catalog. Not charged when nothing answers.",
		tags: ["search", "report", "evidence"],
		example: "Which vulnerabilities in version control software were exploited?",
	});

/** Rows over the notes of every expert desk. */
export const createExpertSearch = (deps: KindSearchDeps): Skill<"search.expert"> =>
	createKindSearch(deps, {
		operationId: "search.expert",
		type: "expert",
		title: "Search the experts' notes",
		description:
			"Ranked, cited rows over the notes of all expert desks of the catalog. Not charged when nothing answers.",
		tags: ["search", "expert", "evidence"],
		example: "How should a server roll out HSTS?",
	});

/** Rows over the findings of every synthetic analyst. */
export const createAnalystSearch = (deps: KindSearchDeps): Skill<"search.analyst"> =>
	createKindSearch(deps, {
		operationId: "search.analyst",
		type: "analyst",
		title: "Search the analysts' findings",
		description:
			"Ranked, cited rows over the graphs of all synthetic analysts: trends, signals and metrics of their domains. Not charged when nothing answers.",
		tags: ["search", "analyst", "evidence"],
		example: "Which typing syntax was refused for Python?",
	});

/** Rows over every graph on sale. */
export const createAllSearch = (deps: KindSearchDeps): Skill<"search.all"> =>
	createKindSearch(deps, {
		operationId: "search.all",
		title: "Search every graph",
		description:
			"Ranked, cited rows over all graphs of the catalog, whatever their kind; for a question whose graph is not known. Not charged when nothing answers.",
		tags: ["search", "knowledge-graph", "evidence"],
		example: "Which HTTP status code asks for payment?",
	});

/** One search over every graph of a kind; each row says which graph it is from. Spec: Endpoints, paid operations. */
function createKindSearch<Id extends PaidOperationId>(
	{ catalog, ...deps }: KindSearchDeps,
	{ example, type, ...about }: KindSearch<Id>,
): Skill<Id> {
	return defineSkill({
		...about,
		examples: [example],
		exampleInput: { query: example, limit: 3 },
		input: z.strictObject({
			query: queryField,
			limit: limitField.default(LIMITS.rowsDefault),
			filters: graphFiltersSchema.optional(),
			explain: explainField,
		}),
		output: searchResponseSchema,
		capture: "onResult",
		toText: toSearchText,
		queryOf: ({ query }) => query,
		graphsOf: () => [],
		run: (request, { signal }) =>
			searchAndAnswer(deps, {
				...request,
				graphs: catalog.list(type && { type }),
				graphId: null,
				signal,
			}),
	});
}
