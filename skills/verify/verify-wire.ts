import { z } from "zod";
import {
	CLAIM_KINDS,
	DATA_STATUSES,
	DECISIONS,
	dayField,
	GATE_METHODS,
	GATE_STATUSES,
	GATES,
	graphIdField,
	replyComponent,
	requestComponent,
	STANCES,
	TIME_FRAMES,
	VERDICTS,
} from "../../src/contract/contract.js";
import { articleRefField } from "../articles/articles.js";

/** What travels of claims, texts, citations and batches that are verified. */

/** How much text is checked in one call. */
export const VERIFY_TEXT_LIMITS = {
	textChars: 20_000,
	/** Claims listed of one text. */
	claimsListedMax: 200,
	/** Claims of a text that are checked, and claims of a batch. */
	claimsDefault: 5,
	claimsMax: 20,
	claimChars: 2_000,
	excerptChars: 4_000,
	/** Evidence returned with each claim. */
	evidenceMax: 5,
	/** Sentences of one article that a citation is held against. */
	citedSentencesMax: 400,
	/** The same of an excerpt. */
	excerptSentencesMax: 200,
	idChars: 80,
	evidenceIdChars: 1_100,
} as const;

const { textChars, claimChars, claimsMax, claimsDefault, excerptChars, evidenceIdChars } =
	VERIFY_TEXT_LIMITS;

const written = (most: number) =>
	z.string().trim().min(1, "must not be empty").max(most, `must have at most ${most} characters`);

/** Not trimmed: places in it are returned. */
const textField = z
	.string()
	.max(textChars, `must have at most ${textChars} characters`)
	.refine((text) => text.trim() !== "", "must not be empty")
	.describe("Plain text or Markdown, as it is");

const claimField = written(claimChars);
const judged = {
	graph_id: graphIdField
		.describe("Hold it against this graph only; all graphs by default")
		.optional(),
	as_of: dayField.describe("Judge it as of this day; today by default").optional(),
};

export const extractInput = requestComponent(
	"ClaimExtractionRequest",
	z.strictObject({ text: textField }),
);

export const verifyTextInput = requestComponent(
	"TextVerificationRequest",
	z.strictObject({
		text: textField,
		max_claims: z
			.int("must be a whole number")
			.min(1, "must be at least 1")
			.max(claimsMax, `must be at most ${claimsMax}`)
			.default(claimsDefault)
			.describe("Claims to check, the first ones of the text; the price is for so many"),
		...judged,
	}),
);

export const verifyBatchInput = requestComponent(
	"BatchVerificationRequest",
	z.strictObject({
		claims: z
			.array(claimField)
			.min(1, "must not be an empty list")
			.max(claimsMax, `must list at most ${claimsMax} claims`)
			.describe("Each is charged for, once it has a verdict"),
		...judged,
	}),
);

export const citationCheckInput = requestComponent(
	"CitationCheckRequest",
	z
		.strictObject({
			sentence: claimField.describe("What is said"),
			evidence_id: written(evidenceIdChars)
				.regex(/^[a-z0-9][a-z0-9-]{1,62}:[^:~]+~\d{1,6}$/u, "must be an evidence_id of a citation")
				.describe("A sentence of a graph, as citations name it")
				.optional(),
			article_ref: articleRefField.describe("Whatever graphs cite this article for").optional(),
			excerpt: written(excerptChars).describe("Text of a source, as it is").optional(),
		})
		.refine(
			({ sentence: _, ...sources }) =>
				Object.values(sources).filter((source) => source !== undefined).length === 1,
			'send exactly one of "evidence_id", "article_ref" and "excerpt"',
		),
);

const placed = {
	start: z.int().min(0).describe("Of its sentence in the text, in UTF-16 code units"),
	end: z.int().min(0),
};

export const textClaimSchema = replyComponent(
	"TextClaim",
	z.object({
		claim: z.string().describe("One thing that is said, as a whole sentence"),
		kind: z.enum(CLAIM_KINDS),
		reason: z.string().nullable().describe("Why it cannot be checked; null where it can"),
		...placed,
		stands_for: z.string().nullable().describe("Name that took the place of it or they"),
		entities: z.array(z.string()),
		numbers: z.array(
			z.object({
				text: z.string(),
				value: z.number().describe("In the base unit of its dimension"),
				dimension: z.string(),
				bound: z.string(),
			}),
		),
		dates: z.array(z.string()),
		quantifier: z.string().nullable(),
		is_negated: z.boolean(),
	}),
);

export const extractOutput = z.object({
	ok: z.literal(true),
	data: z.object({
		claims: z.array(textClaimSchema),
		is_complete: z.boolean().describe("False when the text has more than are listed"),
	}),
	meta: z.object({ claims: z.int(), checkable: z.int() }),
});

const checkedEvidenceSchema = replyComponent(
	"CheckedEvidence",
	z.object({
		evidence_id: z.string(),
		stance: z.enum(STANCES),
		score: z.number(),
		excerpt: z.string().describe("What the curated graph says, citing the source"),
		title: z.string(),
		source_url: z.string(),
		published_at: z.string().nullable(),
		tier: z.int().describe("1 primary, 2 reference, 3 press and others, 4 interested party"),
		group: z.int().describe("Sources of one group count once"),
	}),
);

export const checkedClaimSchema = replyComponent(
	"CheckedClaim",
	z.object({
		claim: z.string(),
		start: placed.start.nullable(),
		end: placed.end.nullable(),
		is_answered: z.boolean().describe("False for what was not charged"),
		verdict: z.enum(VERDICTS),
		qualifier: z.enum(["OUTDATED"]).nullable(),
		confidence: z.number().describe("How often a verdict told with it is right"),
		explanation: z.string(),
		missing: z.array(z.string()).describe("What no sentence covers"),
		independent_groups: z.int(),
		evidence: z.array(checkedEvidenceSchema).describe("None for what was not charged"),
	}),
);
export type CheckedClaimWire = z.infer<typeof checkedClaimSchema>;

const kept = {
	batch_id: z.string().nullable().describe("Opens the result again; null where it is not kept"),
	kept_until: z.iso.datetime().nullable(),
};
const warningsField = z.array(z.string()).describe("Why claims were not read, or not all of them");
const checkedMeta = z.object({
	claims: z.int().describe("Claims that were checked"),
	answered: z.int().describe("Of these, the ones with a verdict that is charged for"),
	as_of: z.string(),
	mode: z.enum(["hybrid", "keyword"]),
	graphs_used: z.array(z.string()),
	warnings: warningsField,
});

export const verifyBatchOutput = z.object({
	ok: z.literal(true),
	data: z.object({ ...kept, claims: z.array(checkedClaimSchema).describe("In their order") }),
	meta: checkedMeta,
});

const unjudgedClaimSchema = z.object({
	claim: z.string(),
	kind: z.enum(CLAIM_KINDS),
	...placed,
	why: z.string(),
});

export const verifyTextOutput = z.object({
	ok: z.literal(true),
	data: z.object({
		...verifyBatchOutput.shape.data.shape,
		unchecked: z
			.array(unjudgedClaimSchema)
			.describe("What nobody can check, and claims behind the first max_claims"),
	}),
	meta: checkedMeta,
});

const judgedPartSchema = z.object({
	claim: z.string(),
	stance: z.enum(STANCES),
	score: z.number(),
	reasons: z.array(z.string()),
	evidence_id: z.string().nullable().describe("The sentence that decides; null for an excerpt"),
	excerpt: z.string(),
});

export const citationCheckOutput = z.object({
	ok: z.literal(true),
	data: z.object({
		sentence: z.string(),
		stance: z
			.enum(STANCES)
			.describe("supports when every claim of it is, refutes when one is refuted"),
		score: z.number(),
		claims: z.array(judgedPartSchema),
		source: z
			.object({ title: z.string(), source_url: z.string(), sentences: z.int() })
			.describe("What it was held against"),
	}),
	meta: z.object({ claims: z.int(), warnings: warningsField }),
});

export const verifyClaimInput = requestComponent(
	"ClaimVerificationRequest",
	z.strictObject({
		claim: claimField.describe("What is claimed, as a sentence or a few"),
		as_of: judged.as_of,
		graph_id: judged.graph_id,
	}),
);

const verdictField = z.enum(VERDICTS);
const timeField = z.enum(TIME_FRAMES);
const confidenceField = z.number().describe("How often a verdict told with it is right, 0..1");

const gateSchema = replyComponent(
	"VerificationGate",
	z.object({
		gate: z.enum(GATES),
		status: z.enum(GATE_STATUSES),
		score: z.number(),
		reason: z.string(),
		evidence_ids: z.array(z.string()),
		method: z.enum(GATE_METHODS),
	}),
);

const claimPartSchema = replyComponent(
	"VerifiedPart",
	z.object({
		claim: z.string().describe("One thing that is said, as a whole sentence"),
		verdict: verdictField,
		confidence: confidenceField,
		missing: z.array(z.string()),
		time: timeField,
		entities: z.array(z.string()),
		numbers: z.array(z.string()),
		dates: z.array(z.string()),
	}),
);

const claimEvidenceSchema = replyComponent(
	"ClaimEvidence",
	checkedEvidenceSchema.extend({
		trend_id: z.string(),
		graph_id: z.string(),
		part: z.int().describe("Place of the part it bears on, from 0"),
		reasons: z.array(z.string()),
		is_disputed: z.boolean().describe("True where rules keep what the model reads from counting"),
	}),
);

const verificationSchema = replyComponent(
	"Verification",
	z.object({
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
	}),
);

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

const keptUntil = z.iso.datetime().describe("When it is forgotten");

export const keptBatchSchema = replyComponent(
	"KeptBatchVerification",
	verifyBatchOutput.shape.data.extend({
		unchecked: verifyTextOutput.shape.data.shape.unchecked.optional(),
		kept_until: keptUntil,
	}),
);
export const keptVerificationSchema = replyComponent(
	"KeptVerification",
	verificationSchema.extend({ kept_until: keptUntil }),
);
export const claimReviewSchema = replyComponent(
	"ClaimReview",
	z.looseObject({ "@context": z.unknown(), "@type": z.literal("ClaimReview") }),
);

export const resultIdField = z.string().min(1, "must not be empty").max(VERIFY_TEXT_LIMITS.idChars);

export const OPENS_BY_ID =
	"For whoever paid for it; what a wallet paid for is opened by its id alone. Unknown, forgotten and others' ids give the same 404.";
