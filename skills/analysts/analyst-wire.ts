import { z } from "zod";
import {
	citationSchema,
	citedTextSchema,
	outputOf,
	replyComponent,
	replyList,
	requestComponent,
} from "../../src/contract/contract.js";
import {
	analystField,
	CONSULT_LIMITS,
	consultMetaSchema,
	coverageSchema,
	questionField,
} from "../experts/experts.js";

/** What travels of analysts: what they are asked, and what they answer. */

export const analystConsultInput = requestComponent(
	"AnalystConsultRequest",
	z.strictObject({ analyst: analystField, question: questionField }),
);

export const debateInput = requestComponent(
	"DebateRequest",
	z.strictObject({
		question: questionField,
		analysts: z
			.array(analystField)
			.min(CONSULT_LIMITS.debateLeast, `must name at least ${CONSULT_LIMITS.debateLeast} analysts`)
			.max(CONSULT_LIMITS.debateMost, `must name at most ${CONSULT_LIMITS.debateMost} analysts`)
			.refine((names) => new Set(names).size === names.length, "must name each analyst once")
			.describe(`Those who may know best, at most ${CONSULT_LIMITS.debateMost}, by default`)
			.optional(),
	}),
);

const profileSchema = z.object({
	id: z.string(),
	name: z.string(),
	domain: z.string(),
	method: z.string(),
	is_synthetic: z.literal(true).describe("A machine answers, from the analyst's graph alone"),
});

const indicatorSchema = z.object({
	trend_id: z.string(),
	title: z.string(),
	momentum: z.object({ score: z.number(), recent: z.int(), before: z.int(), as_of: z.string() }),
	citation_ids: z.array(z.int().positive()).min(1),
});

export const SCENARIO_NAMES = ["base", "upside", "downside"] as const;
export type ScenarioName = (typeof SCENARIO_NAMES)[number];

const votesSchema = z.object({ base: z.int(), upside: z.int(), downside: z.int() });

const scenarioSchema = replyComponent(
	"Scenario",
	z.object({
		name: z.enum(SCENARIO_NAMES),
		probability: z
			.number()
			.min(0)
			.max(1)
			.describe("(its votes + 1) / (all votes + 3); they add up to 1"),
		drivers: z.array(citedTextSchema),
		indicators: z.array(indicatorSchema).describe("What to watch, by the momentum of its sources"),
	}),
);

const analystAnswerSchema = z.object({
	question: z.string(),
	analyst: profileSchema,
	thesis: citedTextSchema.nullable().describe("Null, and free, when the graph does not answer"),
	scenarios: z.array(scenarioSchema),
	sample: z
		.object({ votes: votesSchema, is_small: z.boolean().describe("Too few votes to say much") })
		.describe("What the probabilities are counted from: arguments, open questions and momentum"),
	evidence: z.array(citedTextSchema).describe("What else answers, passage by passage"),
	arguments_for: z
		.array(citedTextSchema)
		.describe(
			'Sentences that bear the thesis out, by marks such as "For:" in their own text or as the judge reads them',
		),
	arguments_against: z.array(citedTextSchema).describe("Those that speak against it"),
	open_questions: z.array(citedTextSchema).describe("What its own concept calls a draft"),
	not_covered: z.array(z.string()),
	gaps: z.array(z.string()).describe("Parts of the question that nothing answers"),
	citations: z.array(citationSchema),
	confidence: z.number().min(0).max(1),
});

export const analystConsultOutput = outputOf(analystAnswerSchema, consultMetaSchema);
export type AnalystConsultOutput = z.infer<typeof analystConsultOutput>;

const sidedSchema = citedTextSchema.extend({ analyst: z.string() });

const debateSchema = z.object({
	question: z.string(),
	message: z
		.string()
		.nullable()
		.describe("Why there is no debate, and nothing is charged; null where there is one"),
	thesis: sidedSchema
		.nullable()
		.describe("What both sides speak to: the sentence that answers best; null without a debate"),
	analysts: z.array(profileSchema.extend({ answered: z.boolean() })),
	for: z.array(sidedSchema),
	against: z.array(sidedSchema),
	judge: z.object({
		verdict: z.enum(["for", "against", "open"]),
		weight_for: z.number(),
		weight_against: z.number(),
		reasons: z.array(sidedSchema.extend({ side: z.enum(["for", "against"]) })),
		method: z.string(),
	}),
	open_questions: z.array(sidedSchema),
	citations: z.array(citationSchema),
});

export const debateOutput = outputOf(debateSchema, consultMetaSchema);
export type DebateOutput = z.infer<typeof debateOutput>;

const analystFields = {
	analyst: z.string().describe("Id of its graph"),
	name: z.string(),
	domain: z.string(),
	method: z.string(),
	topics: z.array(z.string()),
};
export const analystListSchema = replyList(
	"AnalystList",
	replyComponent("Analyst", z.object(analystFields)),
);
export const analystDetailSchema = replyComponent(
	"AnalystDetail",
	z.object({ ...analystFields, questions: z.array(z.string()), coverage: coverageSchema }),
);
