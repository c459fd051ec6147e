import { z } from "zod";
import {
	ANSWER_LIMITS,
	answer,
	graphIdField,
	noAnswer,
	type Outcome,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import type { Graph } from "../../src/knowledge/knowledge.js";
import { presentAnswer, toAnswerText } from "./answer-presentation.js";
import {
	answerInput,
	askInput,
	type QuestionAnswerOutput,
	questionAnswerOutput,
} from "./answer-wire.js";
import { composeAnswer } from "./engine/answer-engine.js";

const QUESTION = "What is EIP-3009?";
const COMPARISON = "How do MCP and A2A differ when a server needs more input?";

/** What both operations have in common. */
const ANSWERS = {
	price: { usd: "0.50", billingType: "per_call" },
	body: answerInput,
	reply: toReply("QuestionAnswerReply", questionAnswerOutput),
	output: questionAnswerOutput,
	toText: toAnswerText,
} as const;

const GIVES =
	"Passages word for word, each once and with its sources; a table where things are compared; what is disputed; and what nothing answers. Paid per call; a question that nothing here answers costs nothing.";
const FIELDS = {
	question: "Question in plain language",
	max_tokens: `Tokens the passages may take; ${ANSWER_LIMITS.tokens} if left out`,
} as const;

type Needed = Pick<SkillServices, "catalog" | "search" | "clock">;

interface Asked {
	readonly question: string;
	readonly max_tokens: number;
}

async function answerFrom(
	{ search, clock }: Pick<Needed, "search" | "clock">,
	graphs: readonly Graph[],
	{ question, max_tokens: tokens }: Asked,
	signal: AbortSignal,
): Promise<Outcome<QuestionAnswerOutput>> {
	const startedMs = clock.monotonicMs();
	const { partConcepts: conceptsMax } = ANSWER_LIMITS;
	const task = { question, graphs, tokens, conceptsMax, withDisputes: true, signal };
	const composed = await composeAnswer(search, task);
	const output = presentAnswer(clock, task, { composed, startedMs });
	return composed.verdict !== "not_in_graphs" ? answer(output) : noAnswer(output);
}

/** One question to one graph. Additive to the contract. */
export const graphAsk = paidOperation({
	...ANSWERS,
	id: "graphs.ask",
	at: "POST /v1/graphs/{graph_id}/ask",
	agent: {
		name: "ask_graph",
		tool: {
			title: "Ask one graph",
			description:
				"One cited answer from one graph: the passages that answer, each once, a table for comparisons, and what is not known.",
			fields: { graph_id: "Graph id; list_graphs and route_query name them", ...FIELDS },
		},
	},
	summary: "Ask one graph a question",
	description: `One cited answer from one graph. ${GIVES}`,
	params: z.strictObject({ graph_id: graphIdField }),
	title: "Ask a knowledge graph",
	about: `One question, one cited answer from one graph (GET /v1/graphs/catalog). ${GIVES}`,
	tags: ["answer", "knowledge-graph", "evidence"],
	examples: [QUESTION],
	input: askInput,
	create: ({ catalog, search, clock }: Needed) => ({
		exampleInput: () => {
			const graph = catalog.find("agent-payments") ?? catalog.list()[0];
			const graph_id = graph?.record.id ?? "agent-payments";
			return { graph_id, question: QUESTION, max_tokens: ANSWER_LIMITS.tokens };
		},
		isOffered: () => catalog.list().length > 0,
		prepare: ({ graph_id }) => catalog.assertKnown(graph_id), // NOT_FOUND before anybody pays
		run: ({ graph_id, ...asked }, { signal }) =>
			answerFrom({ search, clock }, [catalog.get(graph_id)], asked, signal),
	}),
	example: { params: { graph_id: "agent-payments" }, body: { question: QUESTION } },
});

/** One question to all graphs. Additive to the contract. */
export const questionAnswer = paidOperation({
	...ANSWERS,
	id: "answer.create",
	at: "POST /v1/answer",
	agent: {
		name: "answer_question",
		tool: {
			title: "Answer a question",
			description:
				"One cited answer from all graphs: the passages that answer, each once, a table for comparisons, and what is not known.",
			fields: FIELDS,
		},
	},
	summary: "Answer a question from all graphs",
	description: `One cited answer from every graph that has something to say. ${GIVES}`,
	title: "Answer a question",
	about: `One question, one cited answer from every graph that has something to say. ${GIVES}`,
	tags: ["answer", "evidence", "research"],
	examples: [COMPARISON],
	input: answerInput,
	create: ({ catalog, search, clock }: Needed) => ({
		exampleInput: () => ({ question: QUESTION, max_tokens: ANSWER_LIMITS.tokens }),
		isOffered: () => catalog.list().length > 0,
		run: (asked, { signal }) => answerFrom({ search, clock }, catalog.list(), asked, signal),
	}),
	example: { body: { question: QUESTION } },
});
