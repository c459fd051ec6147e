import { extractiveWriter } from "../../skills/answers/written-prose.js";
import { createBriefings } from "../../skills/briefings/briefing.js";
import {
	createScheduleConsent,
	createScheduleLinks,
} from "../../skills/briefings/schedule-consent.js";
import { createSchedulePreview, type FreeSchedules } from "../../skills/briefings/schedules.js";
import { systemClock as clock } from "../../src/kernel/clock.js";
import { systemRandom as random } from "../../src/kernel/ids.js";
import { createSealedText } from "../../src/kernel/secrets.js";
import type { GraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { HybridSearch, JudgedSearch } from "../../src/search/search-engine.js";
import { createMemoryStore } from "../a2a/memory-store.js";

/** What anybody may ask of briefings, over a search and a catalog that tests bring, and no schedule at all. */
export function createTestSchedules({
	search,
	catalog,
}: {
	readonly search: HybridSearch & JudgedSearch;
	readonly catalog: GraphCatalog;
}): FreeSchedules {
	const seal = createSealedText({ pepper: Buffer.alloc(32, "pepper"), random, purpose: "test" });
	const links = createScheduleLinks({ seal, clock, baseUrl: () => "" });
	const compose = createBriefings({ search, catalog, clock, writer: extractiveWriter });
	const refusals = { note: async () => undefined, assertMayAsk: async () => undefined };
	return {
		...createScheduleConsent({
			...{ store: createMemoryStore(), links, refusals, clock },
			baseUrl: () => "",
		}),
		preview: createSchedulePreview(compose),
	};
}
