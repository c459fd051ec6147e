import { z } from "zod";
import {
	answer,
	noAnswer,
	paidOperation,
	resumeQuery,
	type SkillContext,
} from "../../src/contract/contract.js";
import { finishSteps } from "../answers/answers.js";
import { type AnswerServices, toAnswerText } from "../stream/stream.js";
import { takeTurn } from "./chat-turn.js";
import { type ChatInput, chatInput, chatOutput, chatReply } from "./chat-wire.js";

const MEMORY =
	"Remembered are the messages and which evidence was cited, never an answer, for twelve months after the last turn or until the session is deleted; nothing at all for an account that keeps no text.";
const EXAMPLE_TURN = {
	sessionId: "session-1",
	message: "Which standard lets a token holder sign a transfer that somebody else submits?",
};
const EXAMPLE = { sessionId: "session-1", message: "Which HTTP status code asks for payment?" };

const common = {
	price: { usd: "1.50", billingType: "research_chat" },
	body: chatInput,
	tags: ["research", "chat", "evidence"],
	examples: [EXAMPLE.message, "And how is it paid?"],
	output: chatOutput,
	hasEffects: true,
	toText: toAnswerText,
	queryOf: ({ message }: ChatInput) => message,
} as const;

function createTurns({ search, catalog, clock, research }: AnswerServices) {
	const { writer, chats } = research;
	const parts = { search, catalog, clock, writer, chats };
	return {
		parts,
		work: {
			exampleInput: () => EXAMPLE,
			isOffered: () => catalog.list().length > 0,
			async run(input: ChatInput, context: SkillContext) {
				const turn = takeTurn(parts, input, { ...context, leaving: "whole" });
				const { output, isAnswer, whenSettled } = await finishSteps(turn);
				return isAnswer ? answer(output, whenSettled) : noAnswer(output);
			},
		},
	};
}

/** The next turn of a research chat. Spec: Research chat session. */
export const researchChat = paidOperation({
	...common,
	id: "research.chat",
	at: "POST /v1/research/chat",
	agent: {
		name: "research_chat",
		tool: {
			title: "Research in turns",
			description:
				"The next turn of a research conversation, cited; sessionId is yours to choose and to keep.",
			fields: { sessionId: "Id of the conversation", message: "What to ask next" },
			begins: true,
		},
	},
	summary: "Next turn of a research chat",
	description: `Answers a message from the graphs, every sentence cited, and understands what refers to earlier turns of the same sessionId. Turns of one session are answered in order of arrival; one that is sent again under its retry key is told from what is remembered, and is NOT_FOUND once that is gone. ${MEMORY} "Say that again", "repeat the second point" and "what was the source of the first?" are told from what was paid for, and cost nothing; a pronoun that may stand for several things is asked back about. Not charged, and not remembered, when nothing answers.`,
	reply: chatReply,
	title: "Research chat",
	about:
		'The next turn of a chat: what was asked before is remembered under the client\'s sessionId, so that "it", "the second one" and "what about 2024" are understood; the answer says how. Every sentence is cited. Turns of one session follow each other. Not charged, and not remembered, when nothing answers.',
	create: (services: AnswerServices) => createTurns(services).work,
	example: { body: EXAMPLE_TURN },
});

/** The same turn, streamed step by step. */
export const chatStream = paidOperation({
	...common,
	id: "research.chat.stream",
	at: "POST /v1/research/chat/stream",
	streams: true,
	summary: "Next turn of a research chat, as a stream",
	description:
		"The same turn told step by step, as /v1/research/stream tells a search; research.output.done holds the whole reply. Whoever is cut off sends the same body again with Last-Event-ID or after, and pays nothing more.",
	query: z.strictObject(resumeQuery),
	reply: z.string(),
	title: "Research chat as a stream",
	about:
		"The next turn of a research chat, told step by step as Server-Sent Events. Not charged, and not remembered, when there is no evidence.",
	capture: "beforeFirstEvent",
	create: (services: AnswerServices) => {
		const { work, parts } = createTurns(services);
		return {
			...work,
			async *stream(input, context) {
				const turn = takeTurn(parts, input, { ...context, leaving: "stepwise" });
				const { output, isAnswer, whenSettled } = yield* turn;
				const { writer, warnings } = output.meta;
				const done = { event: "research.output.done", data: { ...output.data, writer, warnings } };
				if (!isAnswer) {
					// What was said before, and what is asked back, is told whole; of what has no answer nothing is.
					if (output.data.answer.sentences.length > 0 || output.meta.decision === "CLARIFY")
						yield done;
					return;
				}
				// Evidence was streamed, so the turn is paid for; what cannot be written now is at rest beside its session.
				await whenSettled?.onPaid().catch(() => undefined);
				yield done;
			},
		};
	},
	example: { body: EXAMPLE_TURN },
});
