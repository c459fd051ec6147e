import type { Schedules } from "../../skills/briefings/briefings.js";
import { createChatRecords, createChatRoom, createStagedTurns } from "../../skills/chat/chat.js";
import { createEarlierQuestions } from "../../skills/deep-dive/deep-dive.js";
import type { Store } from "../../store/store.js";
import type { KeyFolder } from "../accounts/accounts.js";
import { createArtifactRepository, createResultIds } from "../artifacts/artifacts.js";
import { createLaunchedJobs } from "../jobs/jobs.js";
import { type Clock, createTurnQueue, type Ids, type Logger } from "../kernel/kernel.js";
import type { IndexDisk, SearchEngine } from "../search/search.js";
import type { ResearchParts } from "../service/service.js";
import type { Settings } from "../settings/settings.js";
import type { WebhookParts } from "../webhooks/webhooks.js";
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
