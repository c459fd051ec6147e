/** Questions over imported folders that these answer, and questions that they do not; their brief is in bench/labelled/decision/README.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

/** One file for each imported folder, called like it; in `fit` those that are fitted to. */
export const DECISION_QUESTIONS = join(PACKAGE_ROOT, "bench", "labelled", "decision");

const questionSchema = z.discriminatedUnion("answerable", [
	z.strictObject({
		id: z.string(),
		question: z.string(),
		answerable: z.literal(true),
		/** Document that answers it, below the imported folder. */
		file: z.string(),
		/** Its words. */
		answer: z.string(),
		note: z.string().optional(),
	}),
	z.strictObject({
		id: z.string(),
		question: z.string(),
		answerable: z.literal(false),
		/** Another subject; the same field; a thing that is there, asked for what is not said of it. */
		distance: z.enum(["far", "field", "close"]),
		searched: z.string(),
	}),
]);
export type DecisionQuestion = z.infer<typeof questionSchema>;

export function readDecisionQuestions(file: string): readonly DecisionQuestion[] {
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => questionSchema.parse(JSON.parse(line)));
}
