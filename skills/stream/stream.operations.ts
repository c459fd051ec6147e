import { z } from "zod";
import {
	answer,
	noAnswer,
	paidOperation,
	queryField,
	resumeQuery,
	WRITER_LIMITS,
} from "../../src/contract/contract.js";
import { answerQuestion, finishSteps, toAnswerWire } from "../answers/answers.js";
import {
	type AnswerServices,
	citeAnew,
	collectedStreamOutput,
	toAnswerMeta,
	toAnswerText,
} from "./stream-answer.js";

const EXAMPLE = "Which HTTP status code asks for payment?";

/** A search that reports each step: where it looks, what it finds, and a cited answer. Spec: Endpoints, paid operations. */
export const researchStream = paidOperation({
	id: "research.stream",
	at: "GET /v1/research/stream",
	price: { usd: "1.50", billingType: "research_stream" },
	agent: { name: "research_stream" },
	streams: true,
	summary: "Research as a stream of events",
	description:
		"Answers a question over the graphs that cover it and tells each step as it happens, every sentence with its citations. One charge, before the first event; none where there is no evidence. Whoever is cut off goes on with Last-Event-ID or after, within 24 hours, without a second charge, by the same credential and query, or by stream_id; once the stream is over, 204. Where its server ended meanwhile, the same query resumes it as another stream, from its first event, uncharged. The work is finished and kept even when its caller leaves, unless the account keeps no text.",
	query: z.strictObject({ query: queryField, ...resumeQuery }),
	reply: z.string(),
	title: "Streaming research",
	about:
		"Answers a question over every graph that covers it and tells each step as a Server-Sent Event: plan, search, each piece of evidence, the answer sentence by sentence with its citations, the cost. A stream that was cut off goes on without a second charge. Not charged when there is no evidence.",
	tags: ["research", "stream", "evidence"],
	examples: [EXAMPLE],
	input: z.strictObject({ query: queryField }),
	output: collectedStreamOutput,
	capture: "beforeFirstEvent",
	toText: toAnswerText,
	create: ({ search, catalog, clock, research }: AnswerServices) => {
		const parts = { search, catalog, clock, writer: research.writer };
		return {
			exampleInput: () => ({ query: EXAMPLE }),
			isOffered: () => catalog.list().length > 0,
			async run({ query }, { signal }) {
				const graphs = catalog.list();
				const found = await finishSteps(answerQuestion(parts, { question: query, graphs, signal }));
				const { citations, sentences } = citeAnew(found);
				const result = {
					ok: true as const,
					data: {
						answer: toAnswerWire(sentences, found.sentences),
						citations: [...citations],
						not_covered: [...found.missing],
					},
					meta: { query, ...toAnswerMeta(clock, found) },
				};
				return found.sentences.length > 0 ? answer(result) : noAnswer(result);
			},
			stream: ({ query }, { signal }) =>
				answerQuestion(parts, {
					...{ question: query, graphs: catalog.list(), signal },
					limitMs: WRITER_LIMITS.timeoutMostMs,
				}),
		};
	},
	example: { query: { query: EXAMPLE } },
});
