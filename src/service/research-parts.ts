import type { ArtefactShelf } from "../core/artefacts.js";
import type { ChatRoom } from "../core/chat.js";
import type { Ids } from "../core/ids.js";
import type { JobWire } from "../core/job-wire.js";
import type { Writer } from "../evidence/writer.js";
import type { Feeds } from "../feeds/feeds.js";
import type { ChatSessionParts } from "./chat-sessions.js";
import type { FindEarlierQuestion } from "./earlier-question.js";
import type { ResultIds } from "./result-ids.js";
import type { Schedules } from "./schedules.js";
import type { StagedTurns } from "./staged-turns.js";
import type { WebhookParts } from "./webhooks.js";

/** What research skills and the operations about their results share; wired once, in the composition root. */
export interface ResearchParts {
	readonly ids: Ids;
	readonly artefacts: ArtefactShelf;
	readonly writer: Writer;
	/** What public sources say of a topic. */
	readonly feeds: Feeds;
	/** Id of the embedding model that searches use; undefined without one. */
	readonly embedder: () => string | undefined;
	/** The id under which a call's result is kept, the same when it is sent again. */
	readonly resultIds: ResultIds;
	/** Where a job stands that was launched. Throws NOT_FOUND. */
	readonly launched: (jobId: string) => Promise<JobWire>;
	/** What an earlier deep dive of a caller asked. Throws NOT_FOUND. */
	readonly earlierQuestion: FindEarlierQuestion;
	/** Subscriptions to briefings. */
	readonly schedules: Schedules;
	/** Who is told of what happened. */
	readonly webhooks: WebhookParts;
	/** Where chats go on, and what is remembered of them. */
	readonly chats: ChatRoom;
	readonly chatSessions: ChatSessionParts;
	readonly stagedTurns: StagedTurns;
}
