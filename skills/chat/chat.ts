export { chatsOf, createChatRecords } from "./chat-records.js";
export { createChatRoom, createStagedTurns, type StagedTurns } from "./chat-room.js";
export { type ChatSessionParts, type ChatSessions, createChatSessions } from "./chat-sessions.js";
export type { ChatRoom } from "./chat-turns.js";
export { resolveFollowUp } from "./follow-up-question.js";
