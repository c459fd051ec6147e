import { z } from "zod";
import {
	CLAIM_KINDS,
	dayField,
	graphIdField,
	STANCES,
	VERDICTS,
} from "../../src/contract/contract.js";
import { articleRefField } from "../articles/articles.js";
import { VERIFY_TEXT_LIMITS } from "./verify-text-limits.js";

/** What travels of texts, citations and batches that are checked: inputs of their operations, and what they answer. */

const { textChars, claimChars, claimsMax, claimsDefault, excerptChars, evidenceIdChars } =
	VERIFY_TEXT_LIMITS;

const written = (most: number) =>
	z.string().trim().min(1, "must not be empty").max(most, `must have at most ${most} characters`);

/** Not trimmed: places in it are told. */
const textField = z
	.string()
	.max(textChars, `must have at most ${textChars} characters`)
	.refine((text) => text.trim() !== "", "must not be empty")
	.describe("Plain text or Markdown, as it is");

const claimField = written(claimChars);
const judgedFields = {
	graph_id: graphIdField.describe("Hold it against this graph only; all graphs by default"),
	as_of: dayField.describe("Judge it as of this day; today by default"),
};
const judged = {
	graph_id: judgedFields.graph_id.optional(),
	as_of: judgedFields.as_of.optional(),
};

export const extractFields = { text: textField };
export const extractInput = z.strictObject(extractFields);

export const verifyTextFields = {
	text: textField,
	max_claims: z
		.int("must be a whole number")
		.min(1, "must be at least 1")
		.max(claimsMax, `must be at most ${claimsMax}`)
		.default(claimsDefault)
		.describe("Claims to check, the first ones of the text; the price is for so many"),
	...judged,
};
export const verifyTextInput = z.strictObject(verifyTextFields);

export const verifyBatchFields = {
	claims: z
		.array(claimField)
		.min(1, "must not be an empty list")
		.max(claimsMax, `must list at most ${claimsMax} claims`)
		.describe("Each is charged for, once it has a verdict"),
	...judged,
};
export const verifyBatchInput = z.strictObject(verifyBatchFields);

export const citationCheckFields = {
	sentence: claimField.describe("What is said"),
	evidence_id: written(evidenceIdChars)
		.regex(/^[a-z0-9][a-z0-9-]{1,62}:[^:~]+~\d{1,6}$/u, "must be an evidence_id of a citation")
		.describe("A sentence of a graph, as citations name it")
		.optional(),
	article_ref: articleRefField.describe("Whatever graphs cite this article for").optional(),
	excerpt: written(excerptChars).describe("Text of a source, as it is").optional(),
};
export const NAMES_ONE_SOURCE = 'send exactly one of "evidence_id", "article_ref" and "excerpt"';

/** Also told by routes, whose schema of a body stands by itself. */
export function namesOneSource(asked: {
	readonly evidence_id?: string | undefined;
	readonly article_ref?: string | undefined;
	readonly excerpt?: string | undefined;
}): boolean {
	const named = [asked.evidence_id, asked.article_ref, asked.excerpt];
	return named.filter((source) => source !== undefined).length === 1;
}
export const citationCheckInput = z
	.strictObject(citationCheckFields)
	.refine(namesOneSource, NAMES_ONE_SOURCE);

const placed = {
	start: z.int().min(0).describe("Of its sentence in the text, in UTF-16 code units"),
	end: z.int().min(0),
};

export const textClaimSchema = z.object({
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
});

export const extractOutput = z.object({
	ok: z.literal(true),
	data: z.object({
		claims: z.array(textClaimSchema),
		is_complete: z.boolean().describe("False when the text has more than are listed"),
	}),
	meta: z.object({ claims: z.int(), checkable: z.int() }),
});

export const checkedEvidenceSchema = z.object({
	evidence_id: z.string(),
	stance: z.enum(STANCES),
	score: z.number(),
	excerpt: z.string().describe("What the curated graph says, citing the source"),
	title: z.string(),
	source_url: z.string(),
	published_at: z.string().nullable(),
	tier: z.int().describe("1 primary, 2 reference, 3 press and others, 4 interested party"),
	group: z.int().describe("Sources of one group count once"),
});

export const checkedClaimSchema = z.object({
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
});
export type CheckedClaimWire = z.infer<typeof checkedClaimSchema>;

const kept = {
	batch_id: z.string().nullable().describe("Opens the result again; null where it is not kept"),
	kept_until: z.iso.datetime().nullable(),
};
const checkedMeta = z.object({
	claims: z.int().describe("Claims that were checked"),
	answered: z.int().describe("Of these, the ones with a verdict that is charged for"),
	as_of: z.string(),
	mode: z.enum(["hybrid", "keyword"]),
	graphs_used: z.array(z.string()),
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
	meta: z.object({ claims: z.int() }),
});
