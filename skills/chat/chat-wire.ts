import { z } from "zod";
import {
	citationSchema,
	graphIdField,
	outputOf,
	pageQueryUpTo,
	queryField,
	replyComponent,
	replyList,
	requestComponent,
	textUpTo,
	toReply,
	trimmedUpTo,
} from "../../src/contract/contract.js";
import { answerMetaShape, answerSchema } from "../stream/stream.js";
import { CHAT_LIMITS, FOLLOW_UP_KINDS } from "./chat-turns.js";

/** As ranges: readers of the description whose patterns know no classes of Unicode take `\p{Cc}` for letters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
const PLAIN = /^[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]*$/u;

/** One turn of a chat. Spec: Research chat session. */
export const chatInput = requestComponent(
	"ChatTurn",
	z.strictObject({
		sessionId: textUpTo(CHAT_LIMITS.sessionIdChars)
			.regex(PLAIN, "must hold no control characters")
			.describe("The client's own name for the chat; of nobody else's"),
		message: queryField.describe("What is asked next; it may refer to what was said before"),
	}),
);
export type ChatInput = z.infer<typeof chatInput>;

const turnSessionSchema = z.object({
	id: z
		.string()
		.nullable()
		.describe("Names the session beside sessionId; null where nothing is remembered"),
	sessionId: z.string(),
	turns: z.int().describe("Turns so far, this one included"),
});

const chatData = z.object({
	answer: answerSchema,
	citations: z.array(citationSchema),
	resolved_question: z.string().describe("The message as it was understood, standing alone"),
	follow_up: z.enum(FOLLOW_UP_KINDS).describe("How it refers to what was said before"),
	suggested: z.array(z.string()).describe("Messages that would have an answer"),
	not_covered: z.array(z.string()).describe("Words of the question that nothing covers"),
	session: turnSessionSchema,
});

export const chatOutput = outputOf(chatData, z.object(answerMetaShape));
export const chatReply = toReply("ChatReply", chatOutput);
export type ChatOutput = z.infer<typeof chatOutput>;

/** A session as its owner sees it. */
export const chatSessionSchema = replyComponent(
	"ChatSession",
	z.object({
		id: z.string(),
		session_id: z.string().describe("The client's own name for it"),
		title: z.string().nullable(),
		graphs: z.array(z.string()).describe("Graphs it is limited to; all of them where empty"),
		turns: z.int(),
		turns_kept: z.int().describe("The oldest are forgotten first"),
		citations: z.int().describe("Pieces of evidence cited so far"),
		created_at: z.iso.datetime(),
		last_used_at: z.iso.datetime(),
		expires_at: z.iso.datetime().describe("When it is forgotten unless it is used again"),
	}),
);

/** One turn of the history: what was asked, and what its evidence says now. Answers are not kept. */
const chatMessageSchema = replyComponent(
	"ChatMessage",
	z.object({
		n: z.int().positive(),
		at: z.iso.datetime(),
		message: z.string(),
		resolved_question: z.string(),
		citations: z.array(citationSchema),
		citations_gone: z
			.array(z.string())
			.describe("Evidence that was cited and is not there any more"),
		not_covered: z.array(z.string()),
	}),
);

export const chatSessionListSchema = replyList("ChatSessionList", chatSessionSchema);
export const chatMessageListSchema = replyList("ChatMessageList", chatMessageSchema);
export const deletedChatSchema = replyComponent(
	"DeletedChatSession",
	z.object({ id: z.string(), session_id: z.string(), status: z.literal("deleted") }),
);

export const chatChangeBody = requestComponent(
	"ChatSessionChange",
	z
		.strictObject({
			title: trimmedUpTo(CHAT_LIMITS.titleChars)
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

export const chatParams = z.strictObject({
	session_id: textUpTo(CHAT_LIMITS.sessionIdChars).describe(
		"The client's sessionId, or the session's id; a wallet names it by its id",
	),
});
export const chatPageQuery = z.strictObject(
	pageQueryUpTo(CHAT_LIMITS.listMax, CHAT_LIMITS.listDefault),
);
