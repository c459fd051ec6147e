import type { Store } from "../store/store.js";
import { openFeeds } from "./app-feeds.js";
import type { KeyFolder } from "./auth/key-folder.js";
import type { Clock } from "./core/clock.js";
import type { Ids } from "./core/ids.js";
import type { Logger } from "./core/logger.js";
import { openWriter } from "./open-writer.js";
import type { IndexDisk } from "./search/index-disk.js";
import type { SearchEngine } from "./search/search.js";
import { createArtefactShelf } from "./service/artefact-shelf.js";
import { createChatRecords } from "./service/chat-records.js";
import { createChatRoom } from "./service/chat-room.js";
import { createEarlierQuestions } from "./service/earlier-question.js";
import { createLaunchedJobs } from "./service/job-wire.js";
import type { ResearchParts } from "./service/research-parts.js";
import { createResultIds } from "./service/result-ids.js";
import type { Schedules } from "./service/schedules.js";
import { createStagedTurns } from "./service/staged-turns.js";
import { createTurnQueue } from "./service/turn-queue.js";
import type { WebhookParts } from "./service/webhooks.js";
import type { Settings } from "./settings.js";

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
	readonly schedulesOf: (parts: Pick<ResearchParts, "artefacts" | "writer">) => Schedules;
}

/** What research skills work with, wired to one store. */
export function createResearchParts(deps: ResearchPartsDeps): ResearchParts {
	const { store, clock, ids, settings, keys, search } = deps;
	const chatSessions = { records: createChatRecords({ store, clock }), writes: createTurnQueue() };
	const stagedTurns = createStagedTurns({ ...deps, ...chatSessions });
	const artefacts = createArtefactShelf({ store, clock });
	const writer = openWriter({ writer: settings.writer, keys, clock });
	return {
		ids,
		chats: createChatRoom({ ...chatSessions, ids, clock, staged: stagedTurns }),
		chatSessions,
		stagedTurns,
		artefacts,
		writer,
		schedules: deps.schedulesOf({ artefacts, writer }),
		webhooks: deps.webhooks,
		feeds: openFeeds({ ...settings, ...deps }),
		embedder: () => search.status().model?.id,
		resultIds: createResultIds({ ids, secret: keys.pepper }),
		launched: createLaunchedJobs({ store, clock }),
		earlierQuestion: createEarlierQuestions({ store }),
	};
}
