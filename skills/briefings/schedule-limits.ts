/** How schedules are kept, run and delivered; units last. */
export const SCHEDULE_LIMITS = {
	topicChars: 300,
	emailChars: 254,
	webhookChars: 300,
	timezoneChars: 64,
	/** Schedules of one owner that are not cancelled. */
	perOwnerMax: 100,
	changesPerMinute: 60,
	readsPerMinute: 120,
	previewsPerMinute: 20,
	previewsRunning: 1,
	previewsWaiting: 8,
	/** Items of the sample that a preview shows. */
	previewItemsMax: 2,
	/** Uses of links in mails, by one address. */
	linksPerMinute: 60,
	linkTokenChars: 400,
	/** How often it is looked for what is due. */
	tickIntervalMs: 15_000,
	workersMax: 2,
	/** How long one attempt may own its run; shorter than a hold lasts, so that a delivered briefing can be captured. */
	leaseMs: 90_000,
	composeTimeoutMs: 20_000,
	/** Of it what a language model may take, for all that it writes. */
	writingMs: 10_000,
	mailTimeoutMs: 15_000,
	slackTimeoutMs: 5_000,
	/** Waits before the second, third and fourth attempt; after that the run has failed. */
	retryDelaysMs: [60_000, 600_000, 3_600_000],
	/** Runs that fail one after the other before a schedule is paused. */
	failedRunsMax: 3,
	/** How long a payment may take to be captured before a schedule created with it counts as unpaid. */
	unpaidTtlMs: 600_000,
	confirmTtlMs: 7 * 24 * 3_600_000,
	unsubscribeTtlMs: 400 * 24 * 3_600_000,
	/** Mails beside briefings (confirmations, tests) that one schedule sends on a UTC day. */
	extraMailsPerDay: 3,
	/** Concepts that the next briefing compares. */
	conceptsCompared: 60,
	/** What the passages of a briefing may take, see tokensOf. */
	tokens: 1_500,
	sourcesRemembered: 40,
	/** Sentences that are not shown again. */
	sentencesRemembered: 500,
	/** Passages that report one change, and those that say what one subject is. */
	pointsMax: 2,
	passagesOfOne: 2,
	changesMax: 10,
	topMax: 5,
	moversMax: 5,
	numbersMax: 5,
	watchMax: 5,
	/** A stale date this near is worth watching. */
	watchDays: 90,
	/** Runs are listed for so long; nothing runs twice while its row is there. */
	runsKeptMs: 400 * 24 * 3_600_000,
	runsListedMax: 100,
	cancelledKeptMs: 48 * 3_600_000,
	/** What was asked is kept for so long after its last use. */
	textKeptMs: 365 * 24 * 3_600_000,
	/** Text is kept longer again when less than this is left of its time. */
	textRenewedMs: 300 * 24 * 3_600_000,
} as const;
