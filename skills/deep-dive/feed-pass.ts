import { ServiceError } from "../../src/kernel/kernel.js";
import { subjectOf } from "./plan.js";
import type { DeepDiveState } from "./state.js";

/** Where numbers from outside the graphs come from, as far as a deep dive looks. */
export interface FeedObserver {
	/** Feeds that bear on a topic, best first. */
	suggest(topic: string, limit: number): Promise<readonly { readonly feed_id: string }[]>;
	/** Their latest observations; whatever gave none is told with its reason. Throws NOT_FOUND for an unknown id. */
	observe(request: { readonly feedIds: readonly string[]; readonly limit: number }): Promise<{
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
	const { query, feeds: asked = [] } = state.input;
	if (!feeds || state.found.length === 0) return state;
	const suggested = await feeds.suggest(subjectOf(query), FEEDS_MAX);
	const feedIds = [...new Set([...asked, ...suggested.map(({ feed_id: id }) => id)])];
	if (feedIds.length === 0) return state;
	signal.throwIfAborted();
	try {
		const observed = await feeds.observe({ feedIds, limit: OBSERVATIONS_EACH });
		return { ...state, supplemental: observed.feeds, skippedFeeds: observed.skipped };
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		// A feed that was dropped from the registry since the job began costs the report its numbers, not the report.
		const reason = error.message;
		return { ...state, skippedFeeds: feedIds.map((feed_id) => ({ feed_id, reason })) };
	}
}
