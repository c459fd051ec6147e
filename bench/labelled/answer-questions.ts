/** Questions over folders of documents, with the facts that an answer to them needs (README.md beside the sets). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

const answerQuestionSchema = z.strictObject({
	id: z.string().regex(/^\d+-\d{2}$/),
	corpus: z.enum(["catalog", "rfcs", "keps", "digitalgov"]),
	kind: z.enum([
		"definition",
		"how-to",
		"comparison",
		"cause",
		"list",
		"when",
		"who",
		"forecast",
		"yes-no",
	]),
	question: z.string(),
	answerable: z.boolean(),
	/** What an answer would have to say that the folder does not. */
	miss: z.enum(["attribute", "version", "time", "entity", "off-topic"]).optional(),
	nearest: z.string().optional(),
	nuggets: z.array(
		z.strictObject({
			fact: z.string(),
			/** Without it the question is not answered. */
			vital: z.boolean(),
			/** Every place that carries it: a file below the folder, and its words but for spaces. */
			evidence: z.array(z.strictObject({ file: z.string(), quote: z.string() })).min(1),
		}),
	),
	note: z.string().optional(),
});
export type AnswerQuestion = z.infer<typeof answerQuestionSchema>;

const FOLDER = join(PACKAGE_ROOT, "bench", "labelled", "answers");

/** Nothing is tuned by those that are held out. */
export const ANSWER_AUTHORS = { open: [1, 2, 3, 4], held: [5, 6] } as const;

export function loadAnswerQuestions(author: number): readonly AnswerQuestion[] {
	const lines = readFileSync(join(FOLDER, `author-${author}.jsonl`), "utf8")
		.trim()
		.split("\n");
	return lines.map((line) => answerQuestionSchema.parse(JSON.parse(line)));
}

export function listAnswerAuthors(): readonly number[] {
	const names = readdirSync(FOLDER).flatMap(
		(name) => /^author-(\d+)\.jsonl$/.exec(name)?.[1] ?? [],
	);
	return names.map(Number).sort((a, b) => a - b);
}
