import type { ChatMemory, ChatRoom, ChatSeat, ChatTurn } from "../src/core/chat.js";
import { CHAT_LIMITS } from "../src/core/chat-limits.js";
import type { ChatInput, ChatOutput } from "../src/core/chat-wire.js";
import { ServiceError } from "../src/core/errors.js";
import type { SkillContext, SkillEvent } from "../src/core/skill.js";
import { ANSWER_LIMITS } from "../src/core/stream-limits.js";
import { visibleText } from "../src/core/visible-text.js";
import type { WrittenSentence } from "../src/evidence/citation-gate.js";
import { findCitedSentence } from "../src/evidence/cited-sentences.js";
import { resolveFollowUp } from "../src/evidence/follow-up-question.js";
import {
	answerQuestion,
	type QuestionAnswer,
	toAnswerWire,
} from "../src/evidence/question-answer.js";
import type { TalkContext } from "../src/evidence/talk-context.js";
import type { GraphCatalog } from "../src/knowledge/catalog.js";
import { type AnswerSkillDeps, citeAnew, toAnswerMeta } from "./research-stream.js";

export interface ChatSkillDeps extends AnswerSkillDeps {
	readonly chats: ChatRoom;
}

export interface ChatReply {
	readonly output: ChatOutput;
	readonly isAnswer: boolean;
	/** Keeps the turn, once it is paid for; absent where there is nothing to keep. */
	readonly remember?: () => Promise<void>;
}

/** Whoever asks "why?" or for more has heard what was told. */
const WANTS_OTHER: ReadonlySet<string> = new Set(["more", "bare"]);

const NOTHING_KEPT =
	"This account keeps no text: the session is not remembered, and each turn stands alone.";

/**
 * One turn: waits for those before it, says the message so that it stands alone, and answers it, telling each step. A turn
 * without an answer is not remembered; one that is sent again is told from what was remembered, and adds nothing: where
 * that is gone it is NOT_FOUND, since what is said now would answer it otherwise.
 */
export async function* takeTurn(
	deps: ChatSkillDeps,
	input: ChatInput,
	context: SkillContext,
): AsyncGenerator<SkillEvent, ChatReply, undefined> {
	const { sessionId, message } = input;
	const { caller, callId, signal } = context;
	const seat = await deps.chats.enter(caller, sessionId, signal);
	try {
		const { memory } = seat;
		const before = memory.turns.find((turn) => turn.callId === callId && turn.message === message);
		if (before) return yield* tellAgain(deps, input, { seat, before });
		if (context.isReplay && memory.id !== undefined) throw turnIsGone();
		const asked = resolveFollowUp(message, toContext(deps.catalog, memory));
		const found = yield* asTurnOf(
			{ id: memory.id ?? null, sessionId },
			answerQuestion(deps, {
				question: asked.question,
				graphs: graphsOf(deps.catalog, memory),
				told: WANTS_OTHER.has(asked.kind) ? toldBefore(memory) : new Set(),
				signal,
			}),
		);
		const isAnswer = found.sentences.length > 0;
		const turns = memory.turnCount + (isAnswer ? 1 : 0);
		const session = { id: memory.id ?? null, sessionId, turns };
		const warnings = memory.id === undefined ? [NOTHING_KEPT] : [];
		const output = toOutput(deps, { message, asked, found, session, warnings });
		if (!isAnswer) return { output, isAnswer };
		const { remember } = await seat.add({
			at: deps.clock.now(),
			callId,
			message,
			question: asked.question,
			kind: asked.kind,
			cited: found.sentences.map(({ evidence }) => evidence.map(({ evidenceId }) => evidenceId)),
			missing: found.missing,
			writer: found.writer,
		});
		return { output, isAnswer, remember };
	} finally {
		seat.leave();
	}
}

function turnIsGone(): ServiceError {
	return new ServiceError(
		"NOT_FOUND",
		"This turn was answered and paid for before, and is not remembered any more; send the message under a new retry key to ask it anew. Nothing was charged now.",
	);
}

/** Steps but the last: what the whole turn says is told in its place. The plan names the session. */
async function* asTurnOf(
	session: { readonly id: string | null; readonly sessionId: string },
	steps: AsyncGenerator<SkillEvent, QuestionAnswer, undefined>,
): AsyncGenerator<SkillEvent, QuestionAnswer, undefined> {
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
	deps: ChatSkillDeps,
	{ sessionId, message }: ChatInput,
	{ seat: { memory }, before }: { seat: ChatSeat; before: ChatTurn },
): AsyncGenerator<SkillEvent, ChatReply, undefined> {
	const ids = before.cited.flat();
	const sentences = ids.flatMap((id): WrittenSentence[] => {
		const sentence = findCitedSentence(deps.catalog, id);
		return sentence ? [{ text: sentence.text, evidence: [sentence] }] : [];
	});
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
			...(sentences.length < ids.length ? ["Some of its evidence is not there any more."] : []),
		],
	};
	const session = { id: memory.id ?? null, sessionId, turns: memory.turnCount };
	const asked = { question: before.question, kind: before.kind };
	const output = toOutput(deps, { message, asked, found, session, warnings: [] });
	return { output, isAnswer: true };
}

function toOutput(
	deps: ChatSkillDeps,
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
	const meta = toAnswerMeta(deps, found);
	return {
		ok: true,
		data: {
			answer: toAnswerWire(sentences),
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

/** What was found and not told yet. */
function suggestionsOf({ concepts, sentences }: QuestionAnswer): string[] {
	const told = new Set(sentences.flatMap(({ evidence }) => evidence.map(({ concept }) => concept)));
	const untold = concepts.filter(({ concept }) => !told.has(concept));
	const titles = [...new Set(untold.map(({ concept }) => concept.title))];
	return titles
		.slice(0, ANSWER_LIMITS.suggestionsMax)
		.map((title) => `Tell me about ${toName(title)}.`);
}

/** What the latest turn was about: its question, and the concepts its evidence is of, in the order of its answer. */
function toContext(catalog: Pick<GraphCatalog, "find">, { turns }: ChatMemory): TalkContext {
	const last = turns.at(-1);
	const concepts = (last?.cited.flat() ?? []).flatMap(
		(id) => findCitedSentence(catalog, id)?.concept ?? [],
	);
	return {
		question: last?.question,
		spokenOf: [...new Set(concepts)].map(({ title, aliases }) => ({
			name: toName(title),
			aliases: aliases.slice(0, ALIASES_MAX).map(toName),
		})),
	};
}

/** A graph's own words become part of a question: one line of what can be seen, no longer than a name is. */
function toName(title: string): string {
	return visibleText(title).replace(/\s+/g, " ").trim().slice(0, NAME_CHARS);
}

const NAME_CHARS = 120;
const ALIASES_MAX = 20;

function toldBefore({ turns }: ChatMemory): ReadonlySet<string> {
	return new Set(turns.flatMap(({ cited }) => cited.flat()));
}

/** Graphs the session is limited to, as far as they are still there. */
function graphsOf(catalog: GraphCatalog, { graphs }: ChatMemory) {
	if (graphs.length === 0) return catalog.list();
	const known = graphs.slice(0, CHAT_LIMITS.graphsMax).flatMap((id) => catalog.find(id) ?? []);
	if (known.length > 0) return known;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		"None of the graphs this session is limited to is there any more; change them with PATCH /v1/research/chat/sessions/{session_id}.",
	);
}
