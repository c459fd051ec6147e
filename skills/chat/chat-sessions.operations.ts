import { LIMITS, ownerOperation, type Services } from "../../src/contract/contract.js";
import {
	chatChangeBody,
	chatMessageListSchema,
	chatPageQuery,
	chatParams,
	chatSessionListSchema,
	chatSessionSchema,
	deletedChatSchema,
} from "./chat-wire.js";

const common = { params: chatParams, opensById: true };
const example = { params: { session_id: "session-1" } };
const changes = { callsPerMinute: LIMITS.accountChangesPerMinute };
const reads = { callsPerMinute: LIMITS.accountReadsPerMinute };

type Needs = Pick<Services, "chats">;

/** Sessions of a caller. Additive to the contract. */
export const chatSessionList = ownerOperation({
	id: "research.chat.sessions.list",
	at: "GET /v1/research/chat/sessions",
	...reads,
	summary: "List chat sessions",
	description: "Sessions of this account or token, the latest used first.",
	query: chatPageQuery,
	isList: true,
	data: chatSessionListSchema,
	answer: (services: Needs, request) => services.chats.list(request.caller, request.query),
	example: { query: { limit: "20" } },
});

/** One session. Additive to the contract. */
export const chatSession = ownerOperation({
	id: "research.chat.sessions.get",
	at: "GET /v1/research/chat/sessions/{session_id}",
	...{ ...common, ...reads },
	summary: "One chat session",
	description: "How many turns it has, what it is limited to and when it is forgotten.",
	data: chatSessionSchema,
	answer: ({ chats }: Needs, { caller, params }) => chats.get(caller, params.session_id),
	example,
});

/** What was asked in a session. Additive to the contract. */
export const chatMessageList = ownerOperation({
	id: "research.chat.sessions.messages",
	at: "GET /v1/research/chat/sessions/{session_id}/messages",
	...{ ...common, ...reads },
	summary: "Messages of a chat session",
	description:
		"What was asked, oldest first, how it was understood, and what the evidence cited then says now. Answers are not kept.",
	query: chatPageQuery,
	isList: true,
	data: chatMessageListSchema,
	answer: ({ chats }: Needs, { caller, params, query }) =>
		chats.messages(caller, params.session_id, query),
	example: { ...example, query: { limit: "20" } },
});

/** Title and graphs of a session. Additive to the contract. */
export const chatSessionChange = ownerOperation({
	id: "research.chat.sessions.change",
	at: "PATCH /v1/research/chat/sessions/{session_id}",
	...{ ...common, ...changes },
	summary: "Change a chat session",
	description: "Gives it a title, or limits its next turns to some graphs.",
	body: chatChangeBody,
	data: chatSessionSchema,
	answer: ({ chats }: Needs, { caller, params, body }) =>
		chats.change(caller, params.session_id, body),
	example: { ...example, body: { title: "Payment over HTTP" } },
});

/** Forgets a session. Additive to the contract. */
export const chatSessionDeletion = ownerOperation({
	id: "research.chat.sessions.delete",
	at: "DELETE /v1/research/chat/sessions/{session_id}",
	...{ ...common, ...changes },
	summary: "Delete a chat session",
	description: "Its messages, and the streams that told them, are gone at once.",
	data: deletedChatSchema,
	answer: ({ chats }: Needs, { caller, params }) => chats.remove(caller, params.session_id),
	example,
});
