import { createBrandReadings } from "../../skills/brands/brand-readings.js";
import type { Clock } from "../../src/kernel/clock.js";
import type { GraphCatalog } from "../../src/knowledge/catalog.js";
import { manualClock } from "../support/manual-clock.js";
import { ask } from "./asked-skill.js";

const TODAY = "2025-07-01T10:00:00Z";

interface Told {
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly data: any;
	readonly meta: { readonly decision: string; readonly warnings: readonly string[] };
}

/** Every skill that reads what a catalog says of brands, asked as the pipeline does. */
export function askBrands(catalog: GraphCatalog, clock: Clock = manualClock(TODAY)) {
	const skills = createBrandReadings({ catalog, clock });
	return {
		intelligence: ask<Told>(skills.brand_intelligence),
		signals: ask<Told>(skills["brands.signals"]),
		timeline: ask<Told>(skills["brands.timeline"]),
		sources: ask<Told>(skills["brands.sources"]),
		compare: ask<Told>(skills["brands.compare"]),
	};
}

/** The ids of all evidence that a brand's picture points to. */
export const evidenceOf = ({ signals, trends, co_mentions, timeline, risks }: Told["data"]) =>
	[signals, trends, co_mentions, timeline, risks]
		.flat()
		.flatMap(({ evidence }: { evidence: string[] }) => evidence);
