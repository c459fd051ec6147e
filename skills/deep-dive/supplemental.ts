import { ServiceError } from "../../src/kernel/kernel.js";
import type { JudgedSearch } from "../../src/search/search.js";
import type { Feeds } from "../feeds/feeds.js";
import { type DeepDiveState, ENDS } from "./dive-state.js";

/** Where numbers from outside the graphs come from, as far as a deep dive looks. */
export type FeedObserver = Pick<Feeds, "choose" | "observe">;

const OBSERVATIONS_EACH = 12;

/** Observations of the feeds that were asked for and of those that measure what the question asks; without feeds there are none. */
export async function readFeeds(
	{
		feeds,
		search,
	}: {
		readonly feeds?: FeedObserver | undefined;
		readonly search: Pick<JudgedSearch, "embedder" | "judge">;
	},
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const { query, feeds: asked = [] } = state.input;
	if (!feeds || state.ended === ENDS.refused) return state;
	const chosen = await feeds.choose(query, search, signal);
	const feedIds = [...new Set([...asked, ...chosen.feeds.map(({ id }) => id)])];
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
