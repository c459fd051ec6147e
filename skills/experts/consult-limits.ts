/** Limits of consultations of experts and analysts. */
export const CONSULT_LIMITS = {
	/** Concepts and sentences of a corpus that are looked at for one question. */
	conceptsMax: 8,
	sentencesMax: 60,
	/** Of an answer. */
	answerSentences: 4,
	keyPoints: 5,
	suggestions: 4,
	elsewhere: 3,
	/** Concepts that a specialist of a roster answers from: its own and what is linked with it. */
	linkedMax: 500,
	panelLeast: 2,
	panelMost: 5,
	/** Points of a panel's agreement map, of each kind. */
	agreementPoints: 10,
	debateLeast: 2,
	debateMost: 4,
	/** Arguments on each side, and drivers of each scenario. */
	arguments: 5,
	drivers: 3,
	openQuestions: 5,
	/** Fewer votes than these are flagged as a small sample. */
	sampleLeast: 10,
	listDefault: 20,
	listMax: 50,
	nameChars: 200,
} as const;
