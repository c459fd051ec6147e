export { type ConceptFilter, toConceptTest } from "./index/concept-filter.js";
export { beginIndexWith, type IndexDisk, openIndexDisk } from "./index/index-folder.js";
export type { Donors, SyncOptions } from "./index/segment-set.js";
export type { PairJudge, PairReading, TextPair } from "./judge/pair-judge.js";
export { readPairs } from "./judge/read-pairs.js";
export type { WeightedText } from "./lexical/concept-text.js";
export {
	createTextFinder,
	type ReadText,
	readTexts,
	type TextFinder,
} from "./lexical/text-finder.js";
export { isStopWord, termsOf, tokenize } from "./lexical/tokenizer.js";
export type { Embedder } from "./model/embedder.js";
export {
	type FetchedModel,
	fetchModel,
	type ListedModel,
	listModels,
} from "./model/fetch-model.js";
export type { ModelLocation } from "./model/model-folder.js";
export { createModelHub } from "./model/model-hub.js";
export { hubFolder, type ModelName, parseModelName } from "./model/model-name.js";
export type {
	GraphPromise,
	RankedConcept,
	ScoreExplanation,
	SearchEffort,
	SearchOutcome,
} from "./ranking/search-outcome.js";
export {
	createSearchEngine,
	type GraphRouter,
	type HybridSearch,
	type IndexStatus,
	type JudgedSearch,
	type ReadingSearch,
	type SearchEngine,
	type WordKnowledge,
} from "./search-engine.js";
export type { TimeModel } from "./timed-models.js";
