/** Passages changed in one place, and claims whose verdict the change turns: training, calibration and test of the judge. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

/** What the truth of a claim hangs on. */
export const CLAIM_KINDS = [
	"figure",
	"unit",
	"date",
	"name",
	"role",
	"negation",
	"modality",
	"quantifier",
	"comparison",
	"condition",
	"cause",
	"attribution",
	"conjunct",
] as const;

/** Supported, refuted, or open: what a passage says of a claim. */
const label = z.enum(["S", "R", "O"]);

const claimGroupSchema = z.strictObject({
	id: z.string().regex(/^\d{2,3}-\d{3}$/),
	field: z.string(),
	/** Repository that the facts come from, and its licence as read; the words are the author's. */
	source: z.string(),
	licence: z.string(),
	passage: z.string(),
	/** Stands in the passage once; with `new` in its place the labels are those of `after`. */
	old: z.string(),
	new: z.string(),
	claims: z
		.array(
			z.strictObject({
				text: z.string(),
				before: label,
				after: label,
				kind: z.enum(CLAIM_KINDS),
				/** Words of the passage that decide `before`, two places joined by " ... "; empty where it is open. Authors from 13 on left it out. */
				evidence: z.string().optional(),
				/** Labels of a second reader, who saw neither the author's labels nor the other version. */
				second: z.strictObject({ before: label.optional(), after: label.optional() }).optional(),
			}),
		)
		.min(5)
		.max(8),
	/** What the passage before the change answers, and what neither version does; from author 13 on. */
	questions: z.strictObject({ answered: z.string(), unanswered: z.string() }).optional(),
});
export type ClaimGroup = z.infer<typeof claimGroupSchema>;

const FOLDER = join(PACKAGE_ROOT, "bench", "labelled", "claim-groups");

/** Which authors are for what; README.md beside the sets says why. */
export const CLAIM_GROUP_PARTS = {
	train: [
		1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
		29, 30, 31, 32, 33, 34,
	],
	/** By later briefs; of these the judge has seen some of the pairs, once. */
	later: [
		35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
		59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82,
		83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104,
		105,
	],
	calibration: [6],
	test: [7, 8],
} as const;

/** The groups of one author, in the order in which they were written. Throws when a line is malformed. */
export function loadClaimGroups(author: number): readonly ClaimGroup[] {
	const file = join(FOLDER, `author-${String(author).padStart(2, "0")}.jsonl`);
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => claimGroupSchema.parse(JSON.parse(line)));
}

/** Numbers of the authors whose groups are there. */
export function listClaimAuthors(): readonly number[] {
	return readdirSync(FOLDER).flatMap((name) => {
		const number = /^author-(\d{2,3})\.jsonl$/.exec(name)?.[1];
		return number ? [Number(number)] : [];
	});
}
