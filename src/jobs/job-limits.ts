/** Limits of jobs: how many, how long, how large. */
export const JOB_LIMITS = {
	/** Jobs that work at once; the others wait, one of each owner in turn. */
	running: 2,
	waiting: 64,
	/** Open jobs of one owner, those at work counted. */
	openPerOwner: 5,
	/** Of all callers together who show no credential, where jobs cost nothing: half of what may wait is left to the others. */
	openOfStrangers: 32,
	passTimeoutMs: 300_000,
	/** All passes together, not counting what was lost with a process. */
	jobTimeoutMs: 1_800_000,
	/** A job that was not brought to an end in this time, whatever stood in its way, failed. */
	lifeMs: 24 * 3_600_000,
	/** How often one pass is begun: what takes the process down with it is not tried for ever. */
	passStarts: 5,
	/** How long the row of an ended job is remembered; its report is gone before. */
	rowTtlMs: 30 * 24 * 3_600_000,
	reportTtlMs: 24 * 3_600_000,
	/** Progress between passes is written down no more often. */
	progressMs: 500,
	events: 1_000,
	eventChars: 16_384,
	stateChars: 8_000_000,
	reportChars: 4_000_000,
	/** Ids that a restart skips, so that an event told before is never taken for another. */
	eventGap: 10_000,
	/** How long one event stream is held open; then it is resumed. */
	eventStreamMs: 900_000,
	eventStreamsPerJob: 8,
	/** How soon a caller should ask again. */
	pollSeconds: 2,
	pollsPerMinute: 6_000,
	graphsMax: 20,
	feedsMax: 20,
	listDefault: 20,
	listMax: 100,
} as const;
