import { z } from "zod";
import {
	BILLING_TYPES,
	dataOperation,
	LIMITS,
	replyComponent,
	requestComponent,
	type Services,
	usdField,
} from "../../src/contract/contract.js";
import { deepDiveFields } from "../../src/jobs/jobs.js";

const { query, mode, graphs } = deepDiveFields;

const planRequestSchema = requestComponent(
	"DeepDivePlanRequest",
	z.strictObject({ query, mode, graphs }),
);

const planSchema = replyComponent(
	"DeepDivePlan",
	z.object({
		query: z.string(),
		mode: z.enum(["fast", "comprehensive"]),
		aspects: z.array(z.object({ question: z.string(), purpose: z.string() })),
		graphs: z.array(z.string()).describe("Graphs it would look in, strongest first"),
		passes: z.array(z.string()),
		missing: z.array(z.string()).describe("Words of the question that no graph covers"),
		would_answer: z
			.boolean()
			.describe("False where no graph covers the question: such a job costs nothing"),
		price_usd: usdField,
		billing_type: z.enum(BILLING_TYPES),
		operation: z.string(),
	}),
);

const QUERY = "How do agents pay for what they call?";

/** What a deep dive would do, before anybody pays. Additive to the contract. */
export const researchDeepDivePlan = dataOperation({
	id: "research.deep_dive.plan",
	method: "POST",
	path: "/v1/research/deep-dive/plan",
	summary: "Plan a deep dive",
	description:
		"The questions it would ask, the graphs it would look in, its passes and its price; nothing is run and the query is kept nowhere.",
	body: planRequestSchema,
	isList: false,
	freshness: "live",
	callsPerMinute: LIMITS.routedQueriesPerMinute,
	data: planSchema,
	create:
		({ planDeepDive }: Pick<Services, "planDeepDive">) =>
		({ body, signal }) =>
			planDeepDive(body, signal),
	example: { body: { query: QUERY, mode: "fast" } },
});
