export { refOf, toArticleAddress, toArticleRef } from "./article-address.js";
export { createBestOf } from "./best-of.js";
export { createCatalogIndex, type Graphs } from "./catalog-index.js";
export {
	type CitedSentence,
	findCitedSentence,
	splitSentences,
	toCitedSentences,
} from "./cited-sentences.js";
export { contentTerms, contentWords, coverageOf, jaccard } from "./content-words.js";
export { daysOf, measureCoverage } from "./coverage.js";
export { isFollowUp } from "./follow-up-subject.js";
export { type GatheredEvidence, gatherEvidence, type RankedSentence } from "./gathered-evidence.js";
export { createMomentum, type Momentum } from "./momentum.js";
export { normalizeName, trigramsOf } from "./name-likeness.js";
export { findNearNames } from "./near-names.js";
