import { z } from "zod";
import { citationSchema, citedTextSchema, DECISIONS } from "../../src/contract/contract.js";

/** An answer in sentences, each with the numbers of what carries it. */
export const answerSchema = z.object({
	text: z.string().describe("The sentences, each with its numbers in brackets"),
	sentences: z.array(citedTextSchema),
});

/** What an answer to a question says of how it was made. */
export const answerMetaShape = {
	query: z.string(),
	decision: z.enum(DECISIONS),
	mode: z.enum(["hybrid", "keyword"]),
	graphs_used: z.array(z.string()),
	as_of: z.string(),
	writer: z.string().describe("extractive, or llm and the model's name"),
	warnings: z.array(z.string()),
};

/** What a stream says, collected, for transports that cannot stream. */
export const collectedStreamOutput = z.object({
	ok: z.literal(true),
	data: z.object({
		answer: answerSchema,
		citations: z.array(citationSchema),
		not_covered: z.array(z.string()).describe("Words of the question that nothing covers"),
	}),
	meta: z.object(answerMetaShape),
});
export type CollectedStream = z.infer<typeof collectedStreamOutput>;
