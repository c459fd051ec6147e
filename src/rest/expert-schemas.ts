import { z } from "zod";
import { consentSchema } from "../../skills/experts/experts.js";
import { isoDayField as dayField, replyComponent } from "../contract/contract.js";

/** Who can be asked, and what a reader may type. */

const expertFields = {
	agent_id: z.string(),
	name: z.string(),
	headline: z.string(),
	topics: z.array(z.string()),
	graphs: z.array(z.string()),
	is_ai_twin: z.boolean(),
	disclosure: z.string().describe("Who stands behind the expert, in the content's own words"),
};
const scoreField = z.number().describe("0 to 1, comparable within one answer only");
const coverageField = z.object({
	notes: z.int(),
	sources: z.int().describe("Distinct sources of the notes"),
	updated: dayField,
});

const expertSchema = replyComponent("Expert", z.object(expertFields));
const rankedExpertSchema = replyComponent(
	"ExpertItem",
	z.object({ ...expertFields, score: scoreField }),
);

export const expertListSchema = replyComponent(
	"ExpertList",
	z.object({ items: z.array(rankedExpertSchema) }),
);
export const expertPageSchema = replyComponent(
	"ExpertPage",
	z.object({ items: z.array(expertSchema) }),
);
export const expertDetailSchema = replyComponent(
	"ExpertDetail",
	z.object({
		...expertFields,
		consent: consentSchema
			.nullable()
			.describe("On what grounds a machine answers in this name; null: it cannot be consulted"),
		questions: z.array(z.string()),
		coverage: coverageField,
	}),
);
export const expertMatchSchema = replyComponent(
	"ExpertMatch",
	z.object({
		items: z.array(
			z.object({
				...expertFields,
				score: scoreField,
				reasons: z.object({
					words: z.array(z.string()).describe("Words of the question that the profile holds"),
					notes: z.int().describe("Notes of the expert that bear on the question"),
				}),
			}),
		),
	}),
);

const analystFields = {
	analyst: z.string().describe("Id of its graph"),
	name: z.string(),
	domain: z.string(),
	method: z.string(),
	topics: z.array(z.string()),
};
export const analystListSchema = replyComponent(
	"AnalystList",
	z.object({ items: z.array(replyComponent("Analyst", z.object(analystFields))) }),
);
export const analystDetailSchema = replyComponent(
	"AnalystDetail",
	z.object({ ...analystFields, questions: z.array(z.string()), coverage: coverageField }),
);
