/**
 * Hand-written claims over the sample catalog with the verdict that follows from its text: the yardstick of verification.
 * README.md beside it says how they came about and what may be done with each part.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { VERDICTS } from "../../src/contract/verdicts.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

export const LABELLED_CLAIM_KINDS = [
	"entailment",
	"paraphrase",
	"negation",
	"number",
	"date",
	"unit",
	"entity-swap",
	"quantifier",
	"direction",
	"stale",
	"duplicate-source",
	"opinion",
	"prediction",
	"not-enough",
	"conflict",
	"compound",
	"role",
	"modality",
	"condition",
	"cause",
	"relation",
] as const;

/** All have been tuned by since docs/adr/0043; README.md beside it says what each was used for. */
export const CLAIM_PARTS = ["tune", "second", "held-back", "third", "fourth"] as const;
/** Nothing may be tuned by these, nor may anybody look which of them are missed. */
export const UNSEEN_CLAIM_PARTS = ["plain"] as const;
export type ClaimPart = (typeof CLAIM_PARTS | typeof UNSEEN_CLAIM_PARTS)[number];

const labelledClaimSchema = z.strictObject({
	id: z.string().regex(/^[a-z-]+-\d{2,3}$/),
	kind: z.enum(LABELLED_CLAIM_KINDS),
	claim: z.string().min(1),
	verdict: z.enum(VERDICTS),
	/** For what was so once. */
	qualifier: z.literal("OUTDATED").optional(),
	/** Day from which it is judged; today where absent. */
	as_of: z.iso.date().optional(),
	/** The concept that decides it, or the nearest one. */
	trend_id: z.string(),
	note: z.string().optional(),
});
export type LabelledClaim = z.infer<typeof labelledClaimSchema>;

/** Throws when a line is malformed. */
export function loadLabelledClaims(part: ClaimPart): readonly LabelledClaim[] {
	const file = join(PACKAGE_ROOT, "bench", "labelled", `claims-${part}.jsonl`);
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => labelledClaimSchema.parse(JSON.parse(line)));
}
