export { chatsOf, createChatRecords } from "./chat-records.js";
export { createChatRoom } from "./chat-room.js";
export { type ChatSessionParts, type ChatSessions, createChatSessions } from "./chat-sessions.js";
export type { ChatRoom } from "./chat-turns.js";
export { resolveFollowUp } from "./follow-up-question.js";
export { createStagedTurns, type StagedTurns } from "./staged-turns.js";
