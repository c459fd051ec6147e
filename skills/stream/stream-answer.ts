import { z } from "zod";
import {
	citationSchema,
	citedTextSchema,
	DECISIONS,
	outputOf,
	type SkillServices,
} from "../../src/contract/contract.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import { createCitationList, type QuestionAnswer, toMarks } from "../answers/answers.js";

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
export const collectedStreamOutput = outputOf(
	z.object({
		answer: answerSchema,
		citations: z.array(citationSchema),
		not_covered: z.array(z.string()).describe("Words of the question that nothing covers"),
	}),
	z.object(answerMetaShape),
);
export type CollectedStream = z.infer<typeof collectedStreamOutput>;

/** What operations that answer questions run on. */
export type AnswerServices = Pick<SkillServices, "search" | "catalog" | "clock" | "research">;

/** Numbers citations in the order in which the answer cites them. */
export function citeAnew({ sentences }: Pick<QuestionAnswer, "sentences">) {
	const list = createCitationList();
	const cited = sentences.map((sentence) => list.cite(sentence));
	return { sentences: cited, citations: list.toWire() };
}

export function toAnswerMeta(clock: Clock, found: QuestionAnswer) {
	return {
		decision: found.decision,
		mode: found.mode,
		graphs_used: [...found.graphIds],
		as_of: toIsoTime(clock.now()),
		writer: found.writer,
		warnings: [...found.warnings],
	};
}

/** The answer with its sources, for agents that read text alone: a source once, behind all of its numbers. */
export function toAnswerText({ data }: Pick<CollectedStream, "data">): string {
	const sources = new Map<string, { readonly title: string; readonly numbers: number[] }>();
	for (const { n, title, source_url: url } of data.citations) {
		const source = sources.get(url) ?? { title, numbers: [] };
		sources.set(url, source);
		source.numbers.push(n);
	}
	const lines = [...sources].map(
		([url, { title, numbers }]) => `${toMarks(numbers)} ${title} ${url}`,
	);
	return [data.answer.text, lines.join("\n")].join("\n\n");
}
