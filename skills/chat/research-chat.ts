import { answer, defineSkill, noAnswer, type Skill } from "../../src/contract/contract.js";
import { finishSteps } from "../answers/answers.js";
import { toAnswerText } from "../stream/stream.js";
import { type ChatSkillDeps, takeTurn } from "./chat-turn.js";
import { chatInput, chatOutput } from "./chat-wire.js";

const EXAMPLE = { sessionId: "session-1", message: "Which HTTP status code asks for payment?" };

const about = (deps: ChatSkillDeps) => ({
	tags: ["research", "chat", "evidence"],
	examples: [EXAMPLE.message, "And how is it paid?"],
	exampleInput: EXAMPLE,
	isOffered: () => deps.catalog.list().length > 0,
	input: chatInput,
	output: chatOutput,
	toText: toAnswerText,
	queryOf: ({ message }: { message: string }) => message,
	graphsOf: () => [],
});

/** The next turn of a research chat. Spec: Research chat session. */
export const createResearchChat = (deps: ChatSkillDeps): Skill<"research.chat"> =>
	defineSkill({
		...about(deps),
		operationId: "research.chat",
		title: "Research chat",
		description:
			'The next turn of a chat: what was asked before is remembered under the client\'s sessionId, so that "it", "the second one" and "what about 2024" are understood; the answer says how. Every sentence is cited. Turns of one session follow each other. Not charged, and not remembered, when nothing answers.',
		capture: "onResult",
		async run(input, context) {
			const turn = takeTurn(deps, input, { ...context, leaving: "whole" });
			const { output, isAnswer, whenSettled } = await finishSteps(turn);
			return isAnswer ? answer(output, whenSettled) : noAnswer(output);
		},
	});

/** The same turn, told step by step. */
export const createChatStream = (deps: ChatSkillDeps): Skill<"research.chat.stream"> =>
	defineSkill({
		...about(deps),
		operationId: "research.chat.stream",
		title: "Research chat as a stream",
		description:
			"The next turn of a research chat, told step by step as Server-Sent Events. Not charged, and not remembered, when there is no evidence.",
		capture: "beforeFirstEvent",
		async run(input, context) {
			const turn = takeTurn(deps, input, { ...context, leaving: "whole" });
			const { output, isAnswer, whenSettled } = await finishSteps(turn);
			return isAnswer ? answer(output, whenSettled) : noAnswer(output);
		},
		async *stream(input, context) {
			const turn = takeTurn(deps, input, { ...context, leaving: "stepwise" });
			const { output, isAnswer, whenSettled } = yield* turn;
			if (!isAnswer) return;
			// Evidence was told, so the turn is paid for; what cannot be written now is at rest beside its session.
			await whenSettled?.onPaid().catch(() => undefined);
			const { writer, warnings } = output.meta;
			yield { event: "research.output.done", data: { ...output.data, writer, warnings } };
		},
	});
