export { refOf, toArticleAddress, toArticleRef } from "./article-address.js";
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
export { contentTerms, contentWords, coverageOf, isFollowUp, jaccard } from "./content-words.js";
export { createMomentum, daysOf, type Momentum, measureCoverage } from "./coverage.js";
export { createBestOf, findNearNames, normalizeName, trigramsOf } from "./near-names.js";
