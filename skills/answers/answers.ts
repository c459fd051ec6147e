export type { WrittenSentence } from "./citation-gate.js";
export { type CitationList, createCitationList } from "./citation-list.js";
export { chooseSentences, extractiveWriter } from "./extractive-writer.js";
export { createLlmWriter } from "./llm-writer.js";
export {
	answerQuestion,
	finishSteps,
	type OfferedEvidence,
	type QuestionAnswer,
	toAnswerWire,
} from "./question-answer.js";
export { inReadingOrder, relevantOf } from "./relevant-evidence.js";
export { type Contradiction, findContradictions } from "./report/contradictions.js";
export { carriersOf, withoutDeniers } from "./report/finding-carriers.js";
export {
	clusterSentences,
	confidenceOfFinding,
	type FindingCluster,
} from "./report/finding-clusters.js";
export { groupSources } from "./report/independent-sources.js";
export type { ReportDocument, ReportItem } from "./report/report-document.js";
export { findGaps } from "./report/report-gaps.js";
export { toHtml } from "./report/report-html.js";
export { toMarkdown } from "./report/report-markdown.js";
export { toTimeline } from "./report/report-timeline.js";
export { profileSources, type SourceProfile } from "./report/source-profile.js";
export type { Writer } from "./writer.js";
export { type Prose, writeProse } from "./written-prose.js";
