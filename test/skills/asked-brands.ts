import type { Test } from "tap";
import { brandIntelligence } from "../../skills/brands/brand-intelligence.operations.js";
import {
	brandComparison,
	brandSignals,
	brandSources,
	brandTimeline,
} from "../../skills/brands/brand-readings.operations.js";
import type { PaidOperation } from "../../src/contract/operation.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import type { GraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { PairJudge } from "../../src/search/judge/pair-judge.js";
import { createSearchEngine } from "../../src/search/search-engine.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { createTestResearch } from "../support/test-research.js";
import { ask } from "./asked-skill.js";

const TODAY = "2025-07-01T10:00:00Z";

interface Told {
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly data: any;
	readonly meta: { readonly decision: string; readonly warnings: readonly string[] };
}

interface Asking {
	readonly clock?: Clock;
	readonly judge?: PairJudge;
}

/** Every skill that reads what a catalog says of brands, asked as the pipeline does, over a search by keywords. */
export async function askBrands(
	t: Test,
	catalog: GraphCatalog,
	{ clock = manualClock(TODAY), judge }: Asking = {},
) {
	const search = await createSearchEngine({
		folder: t.testdir(),
		clock: systemClock,
		model: "none",
		...(judge && { judge }),
	});
	await search.sync(catalog.list());
	t.teardown(() => search.close());
	const services = { catalog, clock, search, research: createTestResearch({ clock }) };
	const askOf = (operation: PaidOperation) => ask<Told>(boundSkill(operation, services));
	return {
		services,
		intelligence: askOf(brandIntelligence),
		signals: askOf(brandSignals),
		timeline: askOf(brandTimeline),
		sources: askOf(brandSources),
		compare: askOf(brandComparison),
	};
}

/** The ids of all evidence that a brand's picture points to. */
export const evidenceOf = ({ signals, trends, co_mentions, timeline, risks }: Told["data"]) =>
	[signals, trends, co_mentions, timeline, risks]
		.flat()
		.flatMap(({ evidence }: { evidence: string[] }) => evidence);
