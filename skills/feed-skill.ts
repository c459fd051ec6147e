import type { Clock } from "../src/core/clock.js";
import type { Feeds } from "../src/feeds/feeds.js";

/** What skills about supplemental feeds need. */
export interface FeedSkillDeps {
	readonly feeds: Feeds;
	readonly clock: Clock;
}
