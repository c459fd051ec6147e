export { chatsOf, createChatRecords } from "./chat-records.js";
export { type ChatRoom, createChatRoom, createStagedTurns, type StagedTurns } from "./chat-room.js";
export { type ChatSessionParts, type ChatSessions, createChatSessions } from "./chat-sessions.js";
export { resolveFollowUp } from "./follow-up-question.js";
export { createSharedTurns } from "./shared-turns.js";
