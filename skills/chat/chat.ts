export { CHAT_LIMITS } from "./chat-limits.js";
export { chatsOf, createChatRecords } from "./chat-records.js";
export { createChatRoom, createStagedTurns, type StagedTurns } from "./chat-room.js";
export { type ChatSessionParts, type ChatSessions, createChatSessions } from "./chat-sessions.js";
export type { ChatRoom } from "./chat-turns.js";
export { chatInput, chatMessageData, chatOutput, chatSessionData } from "./chat-wire.js";
export { resolveFollowUp } from "./follow-up-question.js";
export { createChatStream, createResearchChat } from "./research-chat.js";
