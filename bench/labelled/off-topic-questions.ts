/** Questions that nothing in the sample catalog answers. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";

export const FORMS = ["question", "topic", "brief"] as const;
export const DISTANCES = ["far", "field", "close"] as const;
const questionSchema = z.strictObject({
	id: z.string(),
	question: z.string(),
	/** How it is put: as a question, a topic in a few words, or an order. */
	form: z.enum(FORMS),
	/** Another subject; a field that the catalog has; a thing that is there, asked for what is not said of it. */
	distance: z.enum(DISTANCES),
});
export type OffTopicQuestion = z.infer<typeof questionSchema>;

export function loadOffTopicQuestions(): readonly OffTopicQuestion[] {
	const file = join(PACKAGE_ROOT, "bench", "labelled", "off-topic.jsonl");
	const lines = readFileSync(file, "utf8").trimEnd().split("\n");
	return lines.map((line) => questionSchema.parse(JSON.parse(line)));
}
