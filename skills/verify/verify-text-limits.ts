/** How much text is checked in one call. */
export const VERIFY_TEXT_LIMITS = {
	textChars: 20_000,
	/** Claims told of one text. */
	claimsToldMax: 200,
	/** Claims of a text that are checked, and claims of a batch. */
	claimsDefault: 5,
	claimsMax: 20,
	claimChars: 2_000,
	excerptChars: 4_000,
	/** Evidence told of each claim. */
	evidenceMax: 5,
	/** Sentences of one article that a citation is held against. */
	citedSentencesMax: 400,
	/** The same of an excerpt. */
	excerptSentencesMax: 200,
	idChars: 80,
	evidenceIdChars: 1_100,
} as const;
