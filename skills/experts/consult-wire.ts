import { z } from "zod";
import {
	ADVICE_STANCES,
	citationSchema,
	citedTextSchema,
	DATA_STATUSES,
	DECISIONS,
	GRAPH_TYPES,
	outputOf,
	queryField,
	replyComponent,
	replyList,
	requestComponent,
	trimmedUpTo,
} from "../../src/contract/contract.js";

/** What travels of consultations: what is asked of experts and analysts, and what they answer. */

/** Limits of consultations of experts and analysts. */
export const CONSULT_LIMITS = {
	/** Concepts of a corpus that are looked at for each part of a question. */
	conceptsMax: 12,
	/** What is quoted for one question, see tokensOf. */
	answerTokens: 400,
	/** The same of an analyst's view. */
	viewTokens: 800,
	/** Of an answer: sentences that are written, or passages that are quoted. */
	answerSentences: 4,
	keyPoints: 5,
	suggestions: 4,
	elsewhere: 3,
	/** Concepts that a specialist of a roster answers from: its own and what is linked with it. */
	linkedMax: 500,
	panelLeast: 2,
	panelMost: 5,
	/** Points of a panel's agreement map, of each kind. */
	agreementPoints: 10,
	debateLeast: 2,
	debateMost: 4,
	/** Arguments on each side, and drivers of each scenario. */
	arguments: 5,
	drivers: 3,
	openQuestions: 5,
	/** Fewer votes than these are flagged as a small sample. */
	sampleLeast: 10,
	listDefault: 20,
	listMax: 50,
	nameChars: 200,
} as const;

const nameOf = (what: string) => trimmedUpTo(CONSULT_LIMITS.nameChars).describe(what);

export const agentIdField = nameOf("agent_id of an expert, as listed by /v1/experts");
export const analystField = nameOf("An analyst's graph id or name, as listed by /v1/analysts");
export const questionField = queryField.describe("What to ask, in plain language");
export const consultationIdField = z
	.string()
	.regex(/^cns_[0-9a-z]{26}$/, "must be a consultation_id")
	.describe("consultation_id of an answer");

export const consultInput = requestComponent(
	"ConsultRequest",
	z.strictObject({ agent_id: agentIdField, question: questionField }),
);
export const followUpBody = requestComponent(
	"FollowUpRequest",
	z.strictObject({ question: questionField }),
);
export const followUpInput = z.strictObject({
	consultation_id: consultationIdField,
	question: questionField,
});
export const panelInput = requestComponent(
	"PanelRequest",
	z.strictObject({
		agent_ids: z
			.array(agentIdField)
			.min(CONSULT_LIMITS.panelLeast, `must name at least ${CONSULT_LIMITS.panelLeast} experts`)
			.max(CONSULT_LIMITS.panelMost, `must name at most ${CONSULT_LIMITS.panelMost} experts`)
			.refine((ids) => new Set(ids).size === ids.length, "must name each expert once")
			.describe("agent_id of each expert; the price is for one"),
		question: questionField,
	}),
);

export const consentSchema = replyComponent(
	"Consent",
	z.object({
		basis: z.string().describe('"synthetic" where no person stands behind it'),
		until: z.string().nullable().describe("Last day the consent holds; null where it has no end"),
	}),
);

const consultedExpertSchema = replyComponent(
	"ConsultedExpert",
	z.object({
		id: z.string(),
		name: z.string(),
		headline: z.string(),
		is_ai_twin: z.literal(true).describe("A machine answers, from the expert's notes alone"),
		consent: consentSchema,
		disclosure: z.string(),
	}),
);

const twinAnswerSchema = replyComponent(
	"TwinAnswer",
	z.object({
		text: z.string().describe("The sentences below, joined"),
		sentences: z.array(citedTextSchema).min(1),
		stance: z
			.enum(ADVICE_STANCES)
			.describe(
				"What the cited sentences come to, by rules; neutral where no advice was asked for",
			),
		key_points: z.array(citedTextSchema).describe("What else is worth knowing, word for word"),
		confidence: z
			.number()
			.min(0)
			.max(1)
			.describe("Coverage of the question × independence × trust of the sources; no probability"),
		limits: z.array(z.string()),
	}),
);

const elsewhereSchema = replyComponent(
	"Elsewhere",
	z.object({
		graph_id: z.string(),
		title: z.string(),
		type: z.enum(GRAPH_TYPES),
		agent_id: z
			.string()
			.nullable()
			.describe("The desk that can be consulted; null for other graphs"),
	}),
);

export const consultationSchema = replyComponent(
	"Consultation",
	z.object({
		consultation_id: z.string().nullable().describe("Null when nothing is kept"),
		question: z.string(),
		follows: z.string().nullable().describe("The consultation this one goes on from"),
		subject: z
			.string()
			.nullable()
			.describe("What the question was taken to be about, where it left that open"),
		expert: consultedExpertSchema,
		answer: twinAnswerSchema.nullable().describe("Null, and free, when the corpus does not answer"),
		citations: z.array(citationSchema),
		not_covered: z
			.array(z.string())
			.describe("Words of the question that the corpus does not cover"),
		elsewhere: z
			.array(elsewhereSchema)
			.describe("Other graphs that may know, where something is not covered"),
		suggested_questions: z.array(z.string()),
		kept_until: z
			.string()
			.nullable()
			.describe("Until when it can be read again; null when it is not kept"),
	}),
);
export type ConsultationWire = z.infer<typeof consultationSchema>;

/** Common meta of what experts and analysts answer; transports add request id and cost. */
export const consultMetaSchema = z.object({
	query: z.string(),
	decision: z.enum(DECISIONS),
	dataStatus: z.enum(DATA_STATUSES),
	mode: z.enum(["hybrid", "keyword"]),
	graphs_used: z.array(z.string()),
	as_of: z.string(),
	execution_time_ms: z.int(),
	model: z.object({ embedder: z.string().nullable(), writer: z.string() }),
	warnings: z.array(z.string()),
});

export type ConsultMetaWire = z.infer<typeof consultMetaSchema>;

export const consultOutput = outputOf(consultationSchema, consultMetaSchema);
export type ConsultOutput = z.infer<typeof consultOutput>;

const pointSchema = citedTextSchema.extend({ agent_id: z.string() });

const panelSchema = z.object({
	question: z.string(),
	answers: z.array(
		consultationSchema.pick({
			expert: true,
			answer: true,
			not_covered: true,
			elsewhere: true,
			suggested_questions: true,
		}),
	),
	agreement: z.object({
		shared: z
			.array(z.object({ agent_ids: z.array(z.string()), points: z.array(pointSchema) }))
			.describe("What several say, each in their own words"),
		contradictions: z.array(
			z.object({ one: pointSchema, other: pointSchema, reasons: z.array(z.string()) }),
		),
		single: z.array(pointSchema).describe("What one alone says"),
	}),
	citations: z.array(citationSchema).describe("Numbered over all answers"),
});

export const panelOutput = outputOf(
	panelSchema,
	consultMetaSchema.extend({ experts: z.int(), answered: z.int() }),
);
export type PanelOutput = z.infer<typeof panelOutput>;

export const consultationListSchema = replyList(
	"ConsultationList",
	z.object({
		consultation_id: z.string(),
		agent_id: z.string(),
		question: z.string(),
		created_at: z.iso.datetime(),
		expires_at: z.iso.datetime().describe("When it is forgotten"),
	}),
);
