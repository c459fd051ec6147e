export { createCatalogIndex, type Graphs } from "./catalog-index.js";
export {
	type CitedSentence,
	findCitedSentence,
	type GatheredEvidence,
	gatherEvidence,
	type RankedSentence,
	splitSentences,
	toCitedSentences,
} from "./cited-sentences.js";
export {
	contentTerms,
	contentWords,
	coverageOf,
	createBestOf,
	findNearNames,
	isFollowUp,
	jaccard,
	normalizeName,
	trigramsOf,
} from "./content-words.js";
export {
	createMomentum,
	daysOf,
	type Momentum,
	measureCoverage,
	refOf,
	toArticleAddress,
	toArticleRef,
} from "./sources.js";
