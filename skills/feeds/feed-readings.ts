import type { FeedSkillDeps } from "./feed-skill.js";
import { createSupplementalCompare } from "./supplemental-compare.js";
import { createSupplementalContext, createSupplementalSeries } from "./supplemental-context.js";

/** Every skill that reads supplemental feeds. */
export function createFeedReadings(deps: FeedSkillDeps) {
	return {
		"supplemental.context": createSupplementalContext(deps),
		"supplemental.series": createSupplementalSeries(deps),
		"supplemental.compare": createSupplementalCompare(deps),
	};
}
