export { createCatalogIndex, type Graphs } from "./catalog-index.js";
export {
	type CitedSentence,
	findCitedSentence,
	type GatheredEvidence,
	gatherEvidence,
	isSpokenOf,
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
	namesOwnMatter,
	normalizeName,
	trigramsOf,
} from "./content-words.js";
export { type EvidencePassage, leansOnBefore, toEvidencePassages } from "./evidence-passages.js";
export { readsLikeInjection } from "./injected-text.js";
export { sentenceOfLink } from "./link-sentences.js";
export { choosePassages, titled, toPassage, toPieces } from "./passages.js";
export { findPublisher, type SourceTier, sourceKindOf } from "./publishers.js";
export {
	createMomentum,
	daysOf,
	type Momentum,
	measureCoverage,
	refOf,
	toArticleAddress,
	toArticleRef,
} from "./sources.js";
