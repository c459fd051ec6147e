/** How much of a brand one call reads and tells. */
export const BRAND_LIMITS = {
	compareWithMax: 5,
	comparedMax: 6,
	/** Days a window may reach back. */
	windowDaysMax: 36_525,
	/** Sentences read of one brand in a window, the newest; more are counted, not read. */
	mentionsRead: 2_000,
	/** Names one node may add to what a brand is known by. */
	namesPerNode: 50,
	namesTold: 50,
	evidencePerItem: 5,
	signalsTold: 20,
	trendsTold: 20,
	risksTold: 10,
	coMentionsTold: 20,
	graphsTold: 100,
	signalsListed: 100,
	sourcesListed: 200,
	/** From so many mentions on figures are told without a warning. */
	smallSample: 30,
	bucketsMax: 60,
} as const;
