/** Limits of the language model that may draft prose. */
export const WRITER_LIMITS = {
	timeoutMs: 10_000,
	timeoutLeastMs: 100,
	/** Less than a request may take, so that there is time left to answer without it. */
	timeoutMostMs: 20_000,
	/** Least time worth a second attempt. */
	retryLeastMs: 500,
	replyBytes: 256 * 1024,
	/** Of evidence, best first. */
	offeredMax: 40,
	sentenceChars: 1_000,
	/** Tokens asked for: for each sentence, and beside them. */
	tokensPerSentence: 120,
	tokensBeside: 200,
	tokensMax: 2_400,
	/** Of a draft. */
	draftSentencesMax: 100,
	draftSentenceChars: 2_000,
	draftIdsMax: 12,
} as const;
