import { createWriterMeter } from "../../skills/answers/writer/writer-meter.js";
import type { Schedules } from "../../skills/briefings/schedules.js";
import { createFeedCache } from "../../skills/feeds/feed-values.js";
import { createResearchParts } from "../../src/app/research.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import type { SearchEngine } from "../../src/search/search-engine.js";
import type { WebhookParts } from "../../src/webhooks/webhook-service.js";
import type { Store } from "../../store/store-port.js";
import { createMemoryDisk } from "../search/memory-disk.js";

const NO_MODEL: Pick<SearchEngine, "status"> = {
	status: () => ({ model: undefined, concepts: 0, pendingVectors: 0, mode: "keyword" }),
};

const NOTHING_KEPT = { processes: { isShared: false } } as Store;

const SILENT = { info: () => undefined, error: () => undefined };

/** The parts research skills work with, over a store that tests bring; without one nothing can be kept. */
export function createTestResearch({
	store = NOTHING_KEPT,
	clock = systemClock,
	search = NO_MODEL,
}: {
	readonly store?: Store;
	readonly clock?: Clock;
	readonly search?: Pick<SearchEngine, "status">;
} = {}) {
	const ids = createIds({ clock, random: systemRandom });
	return createResearchParts({
		store,
		clock,
		ids,
		settings: {},
		keys: { pepper: Buffer.alloc(32, "pepper"), readPlaced: () => undefined },
		search,
		schedulesOf: () => ({}) as Schedules,
		webhooks: {} as WebhookParts,
		feedCache: createFeedCache(async () => createMemoryDisk()),
		logger: SILENT,
		writerMeter: createWriterMeter({ logger: SILENT, price: undefined }),
	});
}
