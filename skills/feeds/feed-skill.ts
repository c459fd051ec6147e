import type { Clock } from "../../src/kernel/kernel.js";
import type { Feeds } from "./feed-service.js";

/** What skills about supplemental feeds need. */
export interface FeedSkillDeps {
	readonly feeds: Feeds;
	readonly clock: Clock;
}
