import { z } from "zod";
import { LIMITS } from "../src/core/limits.js";
import type { SkillId } from "../src/core/operations.js";
import { defineSkill, type Skill } from "../src/core/skill.js";
import {
	explainField,
	type GraphType,
	graphFiltersSchema,
	limitField,
	queryField,
	searchResponseSchema,
} from "../src/core/wire.js";
import type { GraphCatalog } from "../src/knowledge/catalog.js";
import { type SearchSkillDeps, searchAndAnswer } from "./search-answer.js";

interface KindSearch<Id extends SkillId> {
	readonly id: Id;
	readonly type: GraphType;
	readonly title: string;
	readonly description: string;
	readonly tags: readonly string[];
	readonly example: string;
}

type KindSearchDeps = SearchSkillDeps & { readonly catalog: GraphCatalog };

/** Trends and evidence over every domain graph. */
export const createDomainSearch = (deps: KindSearchDeps): Skill<"domain_search"> =>
	createKindSearch(deps, {
		id: "domain_search",
		type: "domain",
		title: "Search all domain graphs",
		description:
			"Ranked, cited rows over all domain graphs of the catalog: trends, standards and mechanisms with dated evidence. Not charged when nothing answers.",
		tags: ["search", "domain", "evidence"],
		example: "Which HTTP status code asks for payment?",
	});

/** Rows over every industry report. */
export const createReportSearch = (deps: KindSearchDeps): Skill<"report_search"> =>
	createKindSearch(deps, {
		id: "report_search",
		type: "industry report",
		title: "Search all industry reports",
		description:
			"Ranked, cited rows over all industry reports of the catalog. Not charged when nothing answers.",
		tags: ["search", "report", "evidence"],
		example: "Which vulnerabilities in version control software were exploited?",
	});

/** Rows over the notes of every expert desk. */
export const createExpertSearch = (deps: KindSearchDeps): Skill<"expert_search"> =>
	createKindSearch(deps, {
		id: "expert_search",
		type: "expert",
		title: "Search the experts' notes",
		description:
			"Ranked, cited rows over the notes of all expert desks of the catalog. Not charged when nothing answers.",
		tags: ["search", "expert", "evidence"],
		example: "How should a server roll out HSTS?",
	});

/** One search over every graph of a kind; each row says which graph it is from. Spec: Endpoints, paid operations. */
function createKindSearch<Id extends SkillId>(
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
		queryOf: ({ query }) => query,
		graphsOf: () => [],
		run: (request, { signal }) =>
			searchAndAnswer(deps, {
				...request,
				graphs: catalog.list({ type }),
				graphId: null,
				signal,
			}),
	});
}
