import type { Schedules } from "../../skills/briefings/schedules.js";
import { createChatRecords } from "../../skills/chat/chat-records.js";
import { createChatRoom } from "../../skills/chat/chat-room.js";
import { createStagedTurns } from "../../skills/chat/staged-turns.js";
import { createEarlierQuestions } from "../../skills/deep-dive/earlier-question.js";
import type { Store } from "../../store/store-port.js";
import type { KeyFolder } from "../accounts/key-folder.js";
import { createArtifactRepository } from "../artifacts/artifact-repository.js";
import { createResultIds } from "../artifacts/result-ids.js";
import { createLaunchedJobs } from "../jobs/job-wire.js";
import type { Clock } from "../kernel/clock.js";
import type { Ids } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import { createTurnQueue } from "../kernel/turn-queue.js";
import type { IndexDisk } from "../search/index/index-disk.js";
import type { SearchEngine } from "../search/search-ports.js";
import type { ResearchParts } from "../service/research-parts.js";
import type { Settings } from "../settings/read-settings.js";
import type { WebhookParts } from "../webhooks/webhook-service.js";
import { openFeeds } from "./app-feeds.js";
import { openWriter } from "./open-writer.js";

export interface ResearchPartsDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly settings: Pick<Settings, "writer" | "feeds" | "contact">;
	readonly keys: Pick<KeyFolder, "readPlaced" | "pepper">;
	readonly search: Pick<SearchEngine, "status">;
	/** Where last values of feeds are kept. */
	readonly feedDisk: () => Promise<IndexDisk>;
	readonly logger: Logger;
	readonly webhooks: WebhookParts;
	readonly schedulesOf: (parts: Pick<ResearchParts, "artifacts" | "writer">) => Schedules;
}

/** What research skills work with, wired to one store. */
export function createResearchParts(deps: ResearchPartsDeps): ResearchParts {
	const { store, clock, ids, settings, keys, search } = deps;
	const chatSessions = { records: createChatRecords({ store, clock }), writes: createTurnQueue() };
	const stagedTurns = createStagedTurns({ ...deps, ...chatSessions });
	const artifacts = createArtifactRepository({ store, clock });
	const writer = openWriter({ writer: settings.writer, keys, clock });
	return {
		ids,
		chats: createChatRoom({ ...chatSessions, ids, clock, staged: stagedTurns }),
		chatSessions,
		stagedTurns,
		artifacts,
		writer,
		schedules: deps.schedulesOf({ artifacts, writer }),
		webhooks: deps.webhooks,
		feeds: openFeeds({ ...settings, ...deps }),
		embedder: () => search.status().model?.id,
		resultIds: createResultIds({ ids, secret: keys.pepper }),
		launched: createLaunchedJobs({ store, clock }),
		earlierQuestion: createEarlierQuestions({ store }),
	};
}
