import { z } from "zod";
import { isoDayField, replyComponent, replyList } from "../../src/contract/contract.js";
import { consentSchema } from "./consult-wire.js";

/** What travels of the directory of experts. */

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
/** What an expert or analyst covers, in numbers. */
export const coverageSchema = z.object({
	notes: z.int(),
	sources: z.int().describe("Distinct sources of the notes"),
	updated: isoDayField,
});

const expertSchema = replyComponent("Expert", z.object(expertFields));
const rankedExpertSchema = replyComponent(
	"ExpertItem",
	z.object({ ...expertFields, score: scoreField }),
);

export const expertListSchema = replyList("ExpertList", rankedExpertSchema);
export const expertPageSchema = replyList("ExpertPage", expertSchema);
export const expertDetailSchema = replyComponent(
	"ExpertDetail",
	z.object({
		...expertFields,
		consent: consentSchema
			.nullable()
			.describe("On what grounds a machine answers in this name; null: it cannot be consulted"),
		questions: z.array(z.string()),
		coverage: coverageSchema,
	}),
);
export const expertMatchSchema = replyList(
	"ExpertMatch",
	z.object({
		...expertFields,
		score: scoreField,
		reasons: z.object({
			words: z.array(z.string()).describe("Words of the question that the profile holds"),
			notes: z.int().describe("Notes of the expert that bear on the question"),
		}),
	}),
);

export const questionListSchema = replyList("ExpertQuestions", z.object({ question: z.string() }));

const dayOrNull = z.iso.date().nullable();
export const expertSourcesSchema = replyList(
	"ExpertSources",
	z.object({
		host: z.string(),
		articles: z.int().describe("Distinct addresses cited"),
		oldest: dayOrNull,
		newest: dayOrNull,
	}),
);
