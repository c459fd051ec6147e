import { z } from "zod";

/** What an answer was made with: `meta.model` of every research skill. */
export const answerModelSchema = z.object({
	embedder: z
		.string()
		.nullable()
		.describe("Embedding model of the search; null while only keywords are searched"),
	writer: z.string().describe('Who wrote the prose: "extractive" quotes, or "llm:<model>"'),
});
export type AnswerModelWire = z.infer<typeof answerModelSchema>;

/** Names the models behind an answer: the search's mode, the embedder there is, and who wrote. */
export function toAnswerModel({
	mode,
	embedder,
	writer,
}: {
	readonly mode: "hybrid" | "keyword";
	readonly embedder: string | undefined;
	readonly writer: string;
}): AnswerModelWire {
	return { embedder: mode === "hybrid" ? (embedder ?? null) : null, writer };
}
