import { ANSWER_LIMITS, type SkillContext, type SkillEvent } from "../../src/contract/contract.js";
import type { CitedSentence } from "../../src/evidence/evidence.js";
import { notFound } from "../../src/kernel/kernel.js";
import {
	answerQuestion,
	type OfferedEvidence,
	type QuestionAnswer,
	toAnswerWire,
} from "../answers/answers.js";
import { type AnswerServices, citeAnew, toAnswerMeta } from "../stream/stream.js";
import {
	type AddedTurn,
	type ChatSeat,
	type ChatTurn,
	graphsOf,
	toContext,
	toldBefore,
	toName,
} from "./chat-turns.js";
import type { ChatInput, ChatOutput } from "./chat-wire.js";
import { type ResolvedQuestion, resolveFollowUp } from "./follow-up-question.js";
import { type Restatement, readRestatement, restate, textHash } from "./restatement.js";

interface TurnParts
	extends Pick<AnswerServices, "search" | "catalog" | "clock">,
		Pick<AnswerServices["research"], "writer" | "chats"> {}

export interface ChatReply {
	readonly output: ChatOutput;
	readonly isAnswer: boolean;
	/** Keeps the turn once it is paid for, or gives its place away; absent where there is nothing to keep. */
	readonly whenSettled?: { readonly onPaid: () => Promise<void>; readonly onUnpaid: () => void };
}

/** Anyone who asks "why?" or for more has seen what was reported. */
const WANTS_OTHER: ReadonlySet<string> = new Set(["more", "bare"]);

const NOTHING_KEPT =
	"This account keeps no text: the session is not remembered, and each turn stands alone.";

/** How a turn leaves: once all of it is paid for, or step by step, its evidence paid for before its answer is written. */
export type TurnLeaving = "whole" | "stepwise";

/**
 * One turn: waits for those before it, says the message so that it stands alone, and answers it, reporting each step. A turn
 * without an answer is not remembered; one that is sent again is answered from what was remembered, and adds nothing: where
 * that is gone it is NOT_FOUND, since what is said now would answer it otherwise.
 */
export async function* takeTurn(
	deps: TurnParts,
	input: ChatInput,
	context: SkillContext & { readonly leaving: TurnLeaving },
): AsyncGenerator<SkillEvent, ChatReply, undefined> {
	const { sessionId, message } = input;
	const { caller, callId, signal, leaving } = context;
	const seat = await deps.chats.enter(caller, sessionId, signal);
	try {
		const { memory } = seat;
		const before = memory.turns.find((turn) => turn.callId === callId && turn.message === message);
		if (before) return yield* tellAgain(deps, input, { seat, before });
		if (context.isReplay && memory.id !== undefined) {
			throw notFound(
				"This turn was answered and paid for before, and is not remembered any more; send the message under a new retry key to ask it anew. Nothing was charged now.",
			);
		}
		const resolved = resolveFollowUp(message, toContext(deps.catalog, memory));
		const { question, kind, added: ownMatter } = resolved;
		const free = yield* tellFree(deps, input, { memory, resolved });
		if (free) return free;
		const toTurn = (said: Pick<ChatTurn, "cited" | "hashes" | "missing" | "writer">) => ({
			...{ at: deps.clock.now(), callId, message, question, kind, ...said },
		});
		const answer = (onEvidence: OnEvidence) =>
			answerQuestion(deps, {
				question,
				added: ownMatter,
				graphs: graphsOf(deps.catalog, memory),
				told: WANTS_OTHER.has(kind) ? toldBefore(memory) : new Set(),
				signal,
				...(leaving === "stepwise" && { onEvidence }),
			});
		const named = { id: memory.id ?? null, sessionId };
		const { found, added } = yield* keepingTold(
			(onEvidence) => asTurnOf(named, answer(onEvidence)),
			(offered) => seat.add(toTurn(asToldOnly(offered))),
		);
		const isAnswer = found.sentences.length > 0;
		const session = { ...named, turns: memory.turnCount + (isAnswer ? 1 : 0) };
		const warnings = memory.id === undefined ? [NOTHING_KEPT] : [];
		const asked = { question, kind };
		const output = toOutput(deps, { message, asked, found, session, warnings });
		if (!isAnswer) return { output, isAnswer };
		const { sentences, missing, writer } = found;
		const turn = toTurn({ ...toCited(sentences.map(({ evidence }) => evidence)), missing, writer });
		added?.amend(turn);
		const { remember, forget } = added ?? (await seat.add(turn));
		return { output, isAnswer, whenSettled: { onPaid: remember, onUnpaid: forget } };
	} finally {
		seat.leave();
	}
}

type OnEvidence = (offered: OfferedEvidence) => Promise<void>;
type Steps<Result> = AsyncGenerator<SkillEvent, Result, undefined>;

/** Adds a turn before the first of its evidence is streamed; one that breaks off behind that was paid for, and is remembered. */
async function* keepingTold(
	begin: (onEvidence: OnEvidence) => Steps<QuestionAnswer>,
	add: (offered: OfferedEvidence) => Promise<AddedTurn>,
): Steps<{ readonly found: QuestionAnswer; readonly added: AddedTurn | undefined }> {
	const turn: { added?: AddedTurn } = {};
	const steps = begin(async (offered) => {
		turn.added = await add(offered);
	});
	let [isTold, isWhole] = [false, false];
	try {
		for (;;) {
			const step = await steps.next();
			if (step.done) {
				isWhole = step.value.sentences.length > 0;
				return { found: step.value, added: turn.added };
			}
			yield step.value;
			// What follows is not requested before the evidence is paid for.
			isTold ||= step.value.isEvidence === true;
		}
	} finally {
		// What cannot be written now is at rest beside its session.
		if (!isWhole && isTold) await turn.added?.remember().catch(() => undefined);
		else if (!isWhole) turn.added?.forget();
	}
}

/** A turn of which nothing but the evidence is known yet. */
function asToldOnly({ sentences, missing }: OfferedEvidence) {
	return { ...toCited(sentences.map((one) => [one])), missing, writer: "extractive" };
}

/** What is remembered of blocks: ids and hashes, never their text. */
function toCited(blocks: readonly (readonly CitedSentence[])[]) {
	return {
		cited: blocks.map((evidence) => evidence.map(({ evidenceId }) => evidenceId)),
		hashes: blocks.map((evidence) => evidence.map(textHash)),
	};
}

/** Steps but the last: what the whole turn says is streamed in its place. The plan names the session. */
async function* asTurnOf(
	session: { readonly id: string | null; readonly sessionId: string },
	steps: Steps<QuestionAnswer>,
): Steps<QuestionAnswer> {
	for (;;) {
		const step = await steps.next();
		if (step.done) return step.value;
		const { event, data } = step.value;
		if (event === "research.plan") yield { event, data: { ...(data as object), session } };
		else if (event !== "research.output.done") yield step.value;
	}
}

/** A turn that was paid for before: what its evidence says today, word for word. */
async function* tellAgain(
	deps: TurnParts,
	{ sessionId, message }: ChatInput,
	{ seat: { memory }, before }: { seat: ChatSeat; before: ChatTurn },
): AsyncGenerator<SkillEvent, ChatReply, undefined> {
	const { sentences, warnings } = restate(deps.catalog, before, { place: undefined });
	const { sentences: cited, citations } = citeAnew({ sentences });
	for (const citation of citations) {
		yield { event: "research.evidence", data: citation, isEvidence: true };
	}
	for (const [index, sentence] of cited.entries()) {
		yield { event: "research.output.delta", data: { index, ...sentence } };
	}
	const found = {
		decision: "ANSWER" as const,
		mode: "keyword" as const,
		missing: before.missing,
		graphIds: [...new Set(sentences.flatMap(({ evidence }) => evidence[0]?.graph.record.id ?? []))],
		sentences,
		concepts: [],
		writer: "extractive",
		warnings: [
			"This turn was answered before; answers are not kept, so its evidence is quoted instead.",
			...warnings,
		],
	};
	const session = { id: memory.id ?? null, sessionId, turns: memory.turnCount };
	const asked = { question: before.question, kind: before.kind };
	const output = toOutput(deps, { message, asked, found, session, warnings: [] });
	return { output, isAnswer: true };
}

/** Turns that sell nothing new: what was said before, and what has to be asked back. */
async function* tellFree(
	deps: TurnParts,
	input: ChatInput,
	{ memory, resolved }: { memory: ChatSeat["memory"]; resolved: ResolvedQuestion },
): AsyncGenerator<SkillEvent, ChatReply | undefined, undefined> {
	const again = readRestatement(input.message);
	const { paid: turn } = memory;
	if (again && turn) return yield* sayAgain(deps, input, { memory, turn, again });
	return resolved.choices && askBack(deps, input, { memory, resolved });
}

/** What a paid turn said, or one block of it: nothing new is sold, so it costs nothing, and it is no turn of its own. */
async function* sayAgain(
	deps: TurnParts,
	{ sessionId, message }: ChatInput,
	{
		memory,
		turn,
		again,
	}: {
		readonly memory: ChatSeat["memory"];
		readonly turn: ChatTurn;
		readonly again: Restatement;
	},
): AsyncGenerator<SkillEvent, ChatReply, undefined> {
	const { sentences, warnings } = restate(deps.catalog, turn, again);
	const none = sentences.length > 0 ? [] : ["The answer before has nothing in that place."];
	const found = {
		...{ decision: sentences.length > 0 ? ("ANSWER" as const) : ("ABSTAIN" as const) },
		...{ mode: "keyword" as const, missing: [], concepts: [], writer: "extractive" },
		graphIds: [...new Set(sentences.flatMap(({ evidence }) => evidence[0]?.graph.record.id ?? []))],
		sentences,
		warnings: [...none, ...warnings],
	};
	const session = { id: memory.id ?? null, sessionId, turns: memory.turnCount };
	const asked = { question: turn.question, kind: "again" as const };
	const output = toOutput(deps, { message, asked, found, session, warnings: [] });
	for (const [index, sentence] of output.data.answer.sentences.entries()) {
		yield { event: "research.output.delta", data: { index, ...sentence } };
	}
	return { output, isAnswer: false };
}

/** A pronoun that may stand for several things costs nothing: what it may mean is suggested. */
function askBack(
	deps: TurnParts,
	{ sessionId, message }: ChatInput,
	{
		memory,
		resolved,
	}: { readonly memory: ChatSeat["memory"]; readonly resolved: ResolvedQuestion },
): ChatReply {
	const found = {
		...{ decision: "CLARIFY" as const, mode: "keyword" as const, writer: "none" },
		...{ missing: [], concepts: [], graphIds: [], sentences: [] },
		warnings: ["This may be about several things; send one of the suggested messages."],
	};
	const session = { id: memory.id ?? null, sessionId, turns: memory.turnCount };
	const asked = { question: message, kind: resolved.kind };
	const { data, ...rest } = toOutput(deps, { message, asked, found, session, warnings: [] });
	const suggested = [...(resolved.choices ?? [])];
	return { output: { ...rest, data: { ...data, suggested } }, isAnswer: false };
}

function toOutput(
	deps: TurnParts,
	turn: {
		readonly message: string;
		readonly asked: Pick<ChatTurn, "question" | "kind">;
		readonly found: QuestionAnswer;
		readonly session: ChatOutput["data"]["session"];
		readonly warnings: readonly string[];
	},
): ChatOutput {
	const { message, asked, found, session } = turn;
	const { sentences, citations } = citeAnew(found);
	const meta = toAnswerMeta(deps.clock, found);
	return {
		ok: true,
		data: {
			answer: toAnswerWire(sentences, found.sentences),
			citations: [...citations],
			resolved_question: asked.question,
			follow_up: asked.kind,
			suggested: suggestionsOf(found),
			not_covered: [...found.missing],
			session,
		},
		meta: { query: message, ...meta, warnings: [...meta.warnings, ...turn.warnings] },
	};
}

/** What was found and not reported yet. */
function suggestionsOf({ concepts, sentences }: QuestionAnswer): string[] {
	const told = new Set(sentences.flatMap(({ evidence }) => evidence.map(({ concept }) => concept)));
	const untold = concepts.filter(({ concept }) => !told.has(concept));
	const titles = [...new Set(untold.map(({ concept }) => concept.title))];
	return titles
		.slice(0, ANSWER_LIMITS.suggestionsMax)
		.map((title) => `Tell me about ${toName(title)}.`);
}
