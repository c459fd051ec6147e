/** What one stream and all of them together may take. */
export const STREAM_LIMITS = {
	/** Streams whose work goes on at once. */
	runningMax: 64,
	/** Of these, one owner's. */
	ownerRunningMax: 8,
	/** From the request to the last event, whether somebody listens or not. */
	workMs: 60_000,
	/** How long one connection may follow a stream; anyone who was cut off resumes. */
	connectionMs: 120_000,
	eventsMax: 1_000,
	/** Highest event id a caller may name. */
	eventIdMax: 999_999,
	streamIdChars: 40,
} as const;

/** What answering one question looks at and says. */
export const ANSWER_LIMITS = {
	graphsMax: 6,
	conceptsMax: 12,
	/** Sentences that are told as evidence and offered to the writer. */
	evidenceMax: 24,
	sentencesMax: 5,
	/** Share of the best sentence's score below which another one is no evidence for this question. */
	evidenceShare: 0.6,
	suggestionsMax: 3,
} as const;
