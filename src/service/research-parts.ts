import type { Writer } from "../../skills/answers/answers.js";
import type { Schedules } from "../../skills/briefings/briefings.js";
import type { ChatRoom, ChatSessionParts, StagedTurns } from "../../skills/chat/chat.js";
import type { FindEarlierQuestion } from "../../skills/deep-dive/deep-dive.js";
import type { Feeds } from "../../skills/feeds/feeds.js";
import type { ResultIds } from "../artifacts/artifacts.js";
import type { ArtifactRepository } from "../contract/contract.js";
import type { JobWire } from "../jobs/jobs.js";
import type { Ids } from "../kernel/kernel.js";
import type { WebhookParts } from "../webhooks/webhooks.js";

/** What research skills and the operations about their results share; wired once, in the composition root. */
export interface ResearchParts {
	readonly ids: Ids;
	readonly artifacts: ArtifactRepository;
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
