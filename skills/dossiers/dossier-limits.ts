/** How much one dossier reads and tells. */
export const DOSSIER_LIMITS = {
	graphsMax: 20,
	/** Graphs a topic is routed to when none is named. */
	graphsRouted: 8,
	conceptsRead: 40,
	sentencesRead: 150,
	findingsMax: 12,
	/** Share of the best sentence's relevance that a finding must have. */
	relevanceFloor: 0.6,
	summaryMax: 4,
	/** Sentences a finding is cited with. */
	citationsPerFinding: 5,
	contradictionsMax: 10,
	timelineMax: 20,
	entitiesMax: 20,
	/** Feeds that are named with it. */
	feedsMax: 5,
	/** Changes a refreshed dossier lists, of each kind. */
	changesMax: 50,
	dossiersDefault: 20,
	dossiersMax: 100,
	dossierIdChars: 80,
} as const;
