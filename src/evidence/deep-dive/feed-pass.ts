import { subjectOf } from "./plan.js";
import type { DeepDiveState } from "./state.js";

/** Where numbers from outside the graphs come from, as far as a deep dive looks. */
export interface FeedObserver {
	/** Feeds that bear on a topic, best first. */
	suggest(topic: string, limit: number): readonly { readonly feed_id: string }[];
	/** Their latest observations; whatever gave none is told with its reason. */
	observe(
		feedIds: readonly string[],
		options: { readonly limit: number; readonly signal: AbortSignal },
	): Promise<{
		readonly feeds: readonly unknown[];
		readonly skipped: readonly { readonly feed_id: string; readonly reason: string }[];
	}>;
}

const FEEDS_MAX = 6;
const OBSERVATIONS_EACH = 12;

/** Observations of the feeds that were asked for and of those that bear on the question; without feeds there are none. */
export async function readFeeds(
	feeds: FeedObserver | undefined,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	if (!feeds) return state;
	const { query, feeds: asked = [] } = state.input;
	const suggested = feeds.suggest(subjectOf(query), FEEDS_MAX).map(({ feed_id: id }) => id);
	const ids = [...new Set([...asked, ...suggested])].slice(0, FEEDS_MAX + asked.length);
	if (ids.length === 0) return state;
	const options = { limit: OBSERVATIONS_EACH, signal };
	const { feeds: supplemental, skipped } = await feeds.observe(ids, options);
	return { ...state, supplemental, skippedFeeds: skipped };
}
