import { ServiceError } from "../../src/kernel/kernel.js";
import { tokenize } from "../../src/search/search.js";
import type { Feeds } from "../feeds/feeds.js";
import { type DeepDiveState, ENDS } from "./dive-state.js";

/** Where numbers from outside the graphs come from, as far as a deep dive looks. */
export type FeedObserver = Pick<Feeds, "suggest" | "observe">;

const FEEDS_MAX = 6;
const OBSERVATIONS_EACH = 12;

/** Observations of the feeds that were asked for and of those that bear on the question; without feeds there are none. */
export async function readFeeds(
	feeds: FeedObserver | undefined,
	state: DeepDiveState,
	signal: AbortSignal,
): Promise<DeepDiveState> {
	const { query, feeds: asked = [] } = state.input;
	if (!feeds || state.ended === ENDS.refused) return state;
	const suggested = await feeds.suggest(subjectOf(query), FEEDS_MAX);
	const feedIds = [...new Set([...asked, ...suggested.map(({ feed }) => feed.id)])];
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

const SUBJECT_WORDS = 8;

/** The words a question is about, as written, without those that only ask. */
function subjectOf(query: string): string {
	const words = tokenize(query).filter(({ isStopWord }) => !isStopWord);
	const subject = words.slice(0, SUBJECT_WORDS);
	return subject.map(({ written }) => written).join(" ");
}
