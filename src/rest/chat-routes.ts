import { z } from "zod";
import {
	CHAT_LIMITS,
	chatInput,
	chatMessageData,
	chatOutput,
	chatSessionData,
} from "../../skills/chat/chat.js";
import { DOMAIN_EXAMPLE } from "../../skills/search/search.js";
import {
	cursorField,
	digitsField,
	graphIdField,
	LIMITS,
	type OwnerOperationId,
	type PaidOperationId,
	replyComponent,
	requestComponent,
	resumeQuery,
} from "../contract/contract.js";
import { ownerRoute } from "./define-route.js";
import { toEventsExample } from "./research-stream-routes.js";
import type { OwnerRoute, PaidRoute } from "./route.js";

type ChatOperationId = Extract<PaidOperationId, `research.chat${string}`>;
type ChatSessionOperationId = Extract<OwnerOperationId, `research.chat.${string}`>;

const nothing = z.strictObject({});
const chatBody = requestComponent("ChatTurn", z.strictObject(chatInput.shape));
const chatReply = replyComponent("ChatReply", chatOutput);
const session = replyComponent("ChatSession", chatSessionData);
const sessionList = replyComponent("ChatSessionList", z.object({ items: z.array(session) }));
const message = replyComponent("ChatMessage", chatMessageData);
const messageList = replyComponent("ChatMessageList", z.object({ items: z.array(message) }));
const deleted = replyComponent(
	"DeletedChatSession",
	z.object({ id: z.string(), session_id: z.string(), status: z.literal("deleted") }),
);

const sessionChange = requestComponent(
	"ChatSessionChange",
	z
		.strictObject({
			title: z
				.string()
				.trim()
				.min(1, "must not be empty")
				.max(CHAT_LIMITS.titleChars, `must have at most ${CHAT_LIMITS.titleChars} characters`)
				.nullable()
				.describe("Null takes it away")
				.optional(),
			graphs: z
				.array(graphIdField)
				.max(CHAT_LIMITS.graphsMax, `must list at most ${CHAT_LIMITS.graphsMax} graphs`)
				.describe("Graphs the session is limited to; an empty list lifts the limit")
				.optional(),
		})
		.refine(
			({ title, graphs }) => title !== undefined || graphs !== undefined,
			'send at least one of "title" and "graphs"',
		),
);

const sessionPath = z.strictObject({
	session_id: z
		.string()
		.min(1, "must not be empty")
		.max(CHAT_LIMITS.sessionIdChars, `must have at most ${CHAT_LIMITS.sessionIdChars} characters`)
		.describe("The client's sessionId, or the session's id; a wallet names it by its id"),
});
const pageQuery = z.strictObject({
	limit: digitsField(CHAT_LIMITS.listMax)
		.default(CHAT_LIMITS.listDefault)
		.describe("Items on a page"),
	cursor: cursorField.optional(),
});

const [source] = DOMAIN_EXAMPLE.evidence;
const TURN = { sessionId: "session-1", message: DOMAIN_EXAMPLE.query };
const SESSION_ID = "cht_01kg9yz3v0f6x2m8q4t7w1ab2c";
const SENTENCE =
	"EIP-3009 lets a token holder sign a transfer off chain (from, to, value, validAfter, validBefore, random nonce) that anyone may submit and pay gas for.";
const TREND_ID = `${DOMAIN_EXAMPLE.graphId}:${DOMAIN_EXAMPLE.conceptId}`;
const CITATION = {
	n: 1,
	evidence_id: `${TREND_ID}~0`,
	trend_id: TREND_ID,
	article_id: source?.article_id ?? "",
	title: source?.title ?? "",
	source_url: source?.source_url ?? "",
	published_at: source?.published_at ?? null,
	publisher: "eips.ethereum.org",
	excerpt: SENTENCE,
	trust_tier: "unverified" as const,
	graph_id: DOMAIN_EXAMPLE.graphId,
};
const REPLY = {
	ok: true as const,
	data: {
		answer: { text: `${SENTENCE} [1]`, sentences: [{ text: SENTENCE, citation_ids: [1] }] },
		citations: [CITATION],
		resolved_question: TURN.message,
		follow_up: "alone" as const,
		suggested: ["Tell me about ERC-2612 permit."],
		not_covered: [],
		session: { id: SESSION_ID, sessionId: TURN.sessionId, turns: 1 },
	},
	meta: {
		query: TURN.message,
		decision: "ANSWER" as const,
		mode: "hybrid" as const,
		graphs_used: [CITATION.graph_id],
		as_of: "2026-11-22T12:00:00.000Z",
		writer: "extractive",
		warnings: [],
	},
};
const SESSION = {
	id: SESSION_ID,
	session_id: TURN.sessionId,
	title: "Payment over HTTP",
	graphs: [],
	turns: 1,
	turns_kept: 1,
	citations: 1,
	created_at: "2026-11-22T12:00:00.000Z",
	last_used_at: "2026-11-22T12:00:00.000Z",
	expires_at: "2027-11-22T12:00:00.000Z",
};
const MESSAGE = {
	n: 1,
	at: SESSION.created_at,
	message: TURN.message,
	resolved_question: TURN.message,
	citations: [CITATION],
	citations_gone: [],
	not_covered: [],
};

const MEMORY =
	"Remembered are the messages and which evidence was cited, never an answer, for twelve months after the last turn or until the session is deleted; nothing at all for an account that keeps no text.";

/** Turns of a research chat. Spec: Research chat session. */
export const CHAT_ROUTES: Readonly<Record<ChatOperationId, PaidRoute>> = {
	"research.chat": {
		kind: "paid",
		operationId: "research.chat",
		summary: "Next turn of a research chat",
		description: `Answers a message from the graphs, every sentence cited, and understands what refers to earlier turns of the same sessionId. Turns of one session are answered in order of arrival; one that is sent again under its retry key is told from what is remembered, and is NOT_FOUND once that is gone. ${MEMORY} Not charged, and not remembered, when nothing answers.`,
		path: nothing,
		query: nothing,
		body: chatBody,
		reply: chatReply,
		example: { body: TURN, reply: REPLY },
	},
	"research.chat.stream": {
		kind: "paid",
		streams: true,
		operationId: "research.chat.stream",
		summary: "Next turn of a research chat, as a stream",
		description:
			"The same turn told step by step, as /v1/research/stream tells a search; research.output.done holds the whole reply. Whoever is cut off sends the same body again with Last-Event-ID or after, and pays nothing more.",
		path: nothing,
		query: z.strictObject(resumeQuery),
		body: chatBody,
		reply: z.string(),
		example: { body: TURN, reply: toEventsExample("research.chat.stream") },
	},
};

const about = { path: sessionPath, query: nothing, isList: false, opensById: true } as const;
const example = { path: { session_id: TURN.sessionId } };
const changes = { callsPerMinute: LIMITS.accountChangesPerMinute };
const reads = { callsPerMinute: LIMITS.accountReadsPerMinute };

/** What is remembered of chats, for those who held them. Additive to the contract. */
export const CHAT_SESSION_ROUTES: Readonly<Record<ChatSessionOperationId, OwnerRoute>> = {
	"research.chat.sessions.list": ownerRoute({
		...reads,
		operationId: "research.chat.sessions.list",
		summary: "List chat sessions",
		description: "Sessions of this account or token, the latest used first.",
		path: nothing,
		query: pageQuery,
		isList: true,
		data: sessionList,
		answer: (owner, { caller, query }) => owner.chats.list(caller, query),
		example: { query: { limit: "20" }, data: { items: [SESSION] } },
	}),
	"research.chat.sessions.get": ownerRoute({
		...{ ...about, ...reads },
		operationId: "research.chat.sessions.get",
		summary: "One chat session",
		description: "How many turns it has, what it is limited to and when it is forgotten.",
		data: session,
		answer: (owner, { caller, path }) => owner.chats.get(caller, path.session_id),
		example: { ...example, data: SESSION },
	}),
	"research.chat.sessions.messages": ownerRoute({
		...{ ...about, ...reads },
		operationId: "research.chat.sessions.messages",
		summary: "Messages of a chat session",
		description:
			"What was asked, oldest first, how it was understood, and what the evidence cited then says now. Answers are not kept.",
		query: pageQuery,
		isList: true,
		data: messageList,
		answer: (owner, { caller, path, query }) =>
			owner.chats.messages(caller, path.session_id, query),
		example: { ...example, query: { limit: "20" }, data: { items: [MESSAGE] } },
	}),
	"research.chat.sessions.change": ownerRoute({
		...{ ...about, ...changes },
		operationId: "research.chat.sessions.change",
		summary: "Change a chat session",
		description: "Gives it a title, or limits its next turns to some graphs.",
		body: sessionChange,
		data: session,
		answer: (owner, { caller, path, body }) => owner.chats.change(caller, path.session_id, body),
		example: { ...example, body: { title: "Payment over HTTP" }, data: SESSION },
	}),
	"research.chat.sessions.delete": ownerRoute({
		...{ ...about, ...changes },
		operationId: "research.chat.sessions.delete",
		summary: "Delete a chat session",
		description: "Its messages, and the streams that told them, are gone at once.",
		data: deleted,
		answer: (owner, { caller, path }) => owner.chats.remove(caller, path.session_id),
		example: {
			...example,
			data: { id: SESSION_ID, session_id: TURN.sessionId, status: "deleted" as const },
		},
	}),
};
