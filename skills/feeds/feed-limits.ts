/** Bounds of supplemental feeds: what is fetched, how long it counts, and how much of it one call returns. */
export const FEED_LIMITS = {
	/** One reply, unpacked. */
	replyBytes: 2_000_000,
	/** One fetch in all: its turn at the host, and its whole body. */
	fetchMs: 4_500,
	/** How long a call waits for its turn at a host before the feed is skipped. */
	patienceMs: 3_000,
	/** Least time between two requests to a host, unless the registry says more. */
	hostIntervalMs: 1_000,
	/** More than one call asks for, so that a call waits for its hosts only. */
	fetchesRunning: 24,
	fetchesWaiting: 24,
	/** What is left to a fetch that has waited longest; a feed that would get less is skipped. */
	fetchLeastMs: 500,
	/** How long a value is returned without asking again, by frequency; items are news. */
	freshMs: {
		daily: 3_600_000,
		weekly: 6 * 3_600_000,
		monthly: 6 * 3_600_000,
		quarterly: 12 * 3_600_000,
		annual: 24 * 3_600_000,
		items: 900_000,
	},
	/** Pause after a failure, doubled for each further one. */
	retryMs: 60_000,
	retryMaxMs: 3_600_000,
	/** Newest observations and items kept of one feed. */
	observationsKept: 4_000,
	itemsKept: 100,
	/** Rows of a table, and records of any kind, looked at before a reply counts as too long. */
	rowsRead: 100_000,
	/** Numbers of eighteen digits before the point are no measurements. */
	valueMax: 1e18,
	valueChars: 40,
	/** A period may begin this long after now: the earth has time zones. */
	futureMs: 26 * 3_600_000,
	/** Years ahead that a forecast may reach. */
	forecastYears: 12,
	titleChars: 300,
	summaryChars: 600,
	urlChars: 2_000,
	/** Answers of search feeds that are remembered, in memory alone: their address holds what was asked. */
	searchesKept: 200,
	/** Feeds chosen for a topic, and named by a call. */
	topicFeedsMax: 12,
	feedsMax: 20,
	topicChars: 200,
	observationsDefault: 12,
	observationsMax: 200,
	seriesDefault: 120,
	seriesMax: 999,
	compareMin: 2,
	compareMax: 6,
	/** Periods of a comparison, the newest. */
	comparePeriodsMax: 600,
	/** Pairs below which a correlation says little. */
	correlationPairsMin: 12,
	suggestDefault: 10,
	suggestMax: 50,
	listDefault: 50,
	listMax: 200,
} as const;
