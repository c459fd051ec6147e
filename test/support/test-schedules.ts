import { systemClock as clock } from "../../src/core/clock.js";
import { systemRandom as random } from "../../src/core/random.js";
import { createBriefings } from "../../src/evidence/briefing.js";
import { extractiveWriter } from "../../src/evidence/extractive-writer.js";
import type { GraphCatalog } from "../../src/knowledge/catalog.js";
import type { HybridSearch } from "../../src/search/search.js";
import { createScheduleConsent } from "../../src/service/schedule-consent.js";
import { createScheduleLinks } from "../../src/service/schedule-links.js";
import { createSchedulePreview, type FreeSchedules } from "../../src/service/schedule-preview.js";
import { createSealedText } from "../../src/service/sealed-text.js";
import { createMemoryStore } from "../a2a/memory-store.js";

/** What anybody may ask of briefings, over a search and a catalog that tests bring, and no schedule at all. */
export function createTestSchedules({
	search,
	catalog,
}: {
	readonly search: HybridSearch;
	readonly catalog: GraphCatalog;
}): FreeSchedules {
	const seal = createSealedText({ pepper: Buffer.alloc(32, "pepper"), random, purpose: "test" });
	const links = createScheduleLinks({ seal, clock, baseUrl: () => "" });
	const compose = createBriefings({ search, catalog, clock, writer: extractiveWriter });
	const refusals = { note: async () => undefined, assertMayAsk: async () => undefined };
	return {
		...createScheduleConsent({ store: createMemoryStore(), links, refusals, clock }),
		preview: createSchedulePreview(compose),
	};
}
