import { z } from "zod";
import {
	DATA_STATUSES,
	DECISIONS,
	dayField,
	GATE_METHODS,
	GATE_STATUSES,
	GATES,
	graphIdField,
	TIME_FRAMES,
	VERDICTS,
} from "../../src/contract/contract.js";
import { VERIFY_TEXT_LIMITS } from "./verify-text-limits.js";
import { checkedEvidenceSchema } from "./verify-text-wire.js";

/** What travels of one claim that is checked. */

const { claimChars } = VERIFY_TEXT_LIMITS;

export const verifyClaimFields = {
	claim: z
		.string()
		.trim()
		.min(1, "must not be empty")
		.max(claimChars, `must have at most ${claimChars} characters`)
		.describe("What is claimed, as a sentence or a few"),
	as_of: dayField.describe("Judge it as of this day; today by default").optional(),
	graph_id: graphIdField
		.describe("Hold it against this graph only; all graphs by default")
		.optional(),
};
export const verifyClaimInput = z.strictObject(verifyClaimFields);

const verdictField = z.enum(VERDICTS);
const timeField = z.enum(TIME_FRAMES);
const confidenceField = z.number().describe("How often a verdict told with it is right, 0..1");

export const gateSchema = z.object({
	gate: z.enum(GATES),
	status: z.enum(GATE_STATUSES),
	score: z.number(),
	reason: z.string(),
	evidence_ids: z.array(z.string()),
	method: z.enum(GATE_METHODS),
});

export const claimPartSchema = z.object({
	claim: z.string().describe("One thing that is said, as a whole sentence"),
	verdict: verdictField,
	confidence: confidenceField,
	missing: z.array(z.string()),
	time: timeField,
	entities: z.array(z.string()),
	numbers: z.array(z.string()),
	dates: z.array(z.string()),
});

export const claimEvidenceSchema = checkedEvidenceSchema.extend({
	trend_id: z.string(),
	graph_id: z.string(),
	part: z.int().describe("Place of the part it bears on, from 0"),
	reasons: z.array(z.string()),
	is_disputed: z.boolean().describe("True when another judge saw it otherwise"),
});

export const verificationSchema = z.object({
	verification_id: z
		.string()
		.nullable()
		.describe("Opens the result again; null where it is not kept"),
	kept_until: z.iso.datetime().nullable(),
	claim: z.string(),
	verdict: verdictField,
	qualifier: z.enum(["OUTDATED"]).nullable().describe("For what was so once"),
	confidence: confidenceField,
	explanation: z.string(),
	time: timeField,
	independent_groups: z
		.int()
		.describe("Origins behind the verdict that do not depend on each other"),
	missing: z.array(z.string()).describe("What no sentence covers"),
	gates: z.array(gateSchema).describe("The five gates in their order"),
	parts: z
		.array(claimPartSchema)
		.describe("Where there is no verdict on the whole, only parts without one"),
	evidence: z
		.array(claimEvidenceSchema)
		.describe("Best first, neutral ones came nearest; none without a verdict"),
	claim_review: z
		.looseObject({})
		.nullable()
		.describe("schema.org ClaimReview; null without a verdict"),
});

export const verifyClaimOutput = z.object({
	ok: z.literal(true),
	data: verificationSchema,
	meta: z.object({
		query: z.string(),
		decision: z.enum(DECISIONS),
		dataStatus: z.enum(DATA_STATUSES),
		execution_time_ms: z.int(),
		mode: z.enum(["hybrid", "keyword"]),
		as_of: z.string(),
		graphs_used: z.array(z.string()),
		model: z.object({ embedder: z.string().nullable(), writer: z.string().nullable() }),
		warnings: z.array(z.string()),
	}),
});
export type VerifyClaimOutput = z.infer<typeof verifyClaimOutput>;
