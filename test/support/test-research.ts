import { createResearchParts } from "../../src/app-research.js";
import { type Clock, systemClock } from "../../src/core/clock.js";
import { createIds } from "../../src/core/ids.js";
import { systemRandom } from "../../src/core/random.js";
import type { Store } from "../../store/store.js";

/** The parts research skills work with, over a store that tests bring; without one nothing can be kept. */
export function createTestResearch({
	store = {} as Store,
	clock = systemClock,
}: {
	readonly store?: Store;
	readonly clock?: Clock;
} = {}) {
	const ids = createIds({ clock, random: systemRandom });
	return createResearchParts({ store, clock, ids });
}
