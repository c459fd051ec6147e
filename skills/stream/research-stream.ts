import { z } from "zod";
import {
	answer,
	defineSkill,
	noAnswer,
	queryField,
	type Skill,
} from "../../src/contract/contract.js";
import { type Clock, toIsoTime } from "../../src/kernel/kernel.js";
import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import type { GraphRouter, HybridSearch } from "../../src/search/search.js";
import {
	answerQuestion,
	createCitationList,
	finishSteps,
	type QuestionAnswer,
	toAnswerWire,
	type Writer,
} from "../answers/answers.js";
import { type CollectedStream, collectedStreamOutput } from "./answer-wire.js";

export interface AnswerSkillDeps {
	readonly search: HybridSearch & GraphRouter;
	readonly catalog: GraphCatalog;
	readonly clock: Clock;
	readonly writer: Writer;
}

const EXAMPLE = "Which HTTP status code asks for payment?";

/** A search that tells each step: where it looks, what it finds, and a cited answer. Spec: Endpoints, paid operations. */
export const createResearchStream = (deps: AnswerSkillDeps): Skill<"research.stream"> =>
	defineSkill({
		operationId: "research.stream",
		title: "Streaming research",
		description:
			"Answers a question over every graph that covers it and tells each step as a Server-Sent Event: plan, search, each piece of evidence, the answer sentence by sentence with its citations, the cost. A stream that was cut off goes on without a second charge. Not charged when there is no evidence.",
		tags: ["research", "stream", "evidence"],
		examples: [EXAMPLE],
		exampleInput: { query: EXAMPLE },
		isOffered: () => deps.catalog.list().length > 0,
		input: z.strictObject({ query: queryField }),
		output: collectedStreamOutput,
		capture: "beforeFirstEvent",
		toText: toAnswerText,
		queryOf: ({ query }) => query,
		graphsOf: () => [],
		async run({ query }, { signal }) {
			const graphs = deps.catalog.list();
			const found = await finishSteps(answerQuestion(deps, { question: query, graphs, signal }));
			const { citations, sentences } = citeAnew(found);
			const result = {
				ok: true as const,
				data: {
					answer: toAnswerWire(sentences),
					citations: [...citations],
					not_covered: [...found.missing],
				},
				meta: { query, ...toAnswerMeta(deps, found) },
			};
			return found.sentences.length > 0 ? answer(result) : noAnswer(result);
		},
		stream: ({ query }, { signal }) =>
			answerQuestion(deps, { question: query, graphs: deps.catalog.list(), signal }),
	});

/** Numbers citations in the order in which the answer cites them. */
export function citeAnew({ sentences }: Pick<QuestionAnswer, "sentences">) {
	const list = createCitationList();
	const cited = sentences.map((sentence) => list.cite(sentence));
	return { sentences: cited, citations: list.toWire() };
}

export function toAnswerMeta({ clock }: Pick<AnswerSkillDeps, "clock">, found: QuestionAnswer) {
	return {
		decision: found.decision,
		mode: found.mode,
		graphs_used: [...found.graphIds],
		as_of: toIsoTime(clock.now()),
		writer: found.writer,
		warnings: [...found.warnings],
	};
}

/** The answer with its sources, for agents that read text alone. */
export function toAnswerText({ data }: Pick<CollectedStream, "data">): string {
	const sources = data.citations.map(({ n, title, source_url: url }) => `[${n}] ${title} ${url}`);
	return [data.answer.text, ...sources].join("\n");
}
