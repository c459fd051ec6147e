export { toMarks } from "./answer-text.js";
export { type CitationList, createCitationList, type WrittenSentence } from "./citation-gate.js";
export { composeAnswer, decisionOf, passagesOf } from "./engine/answer-engine.js";
export { findCandidates } from "./engine/candidates.js";
export { scorePassages } from "./engine/passage-scoring.js";
export { createLlmWriter } from "./llm-writer.js";
export {
	answerQuestion,
	finishSteps,
	type OfferedEvidence,
	type QuestionAnswer,
	toAnswerWire,
} from "./question-answer.js";
export { type Denial, findDenials } from "./report/denials.js";
export {
	carriersOf,
	clusterSentences,
	confidenceOfFinding,
	type FindingCluster,
	findContradictions,
	groupSources,
	withoutDeniers,
} from "./report/findings.js";
export {
	listSection,
	proseSection,
	type ReportDocument,
	type ReportItem,
	toHtml,
	toMarkdown,
} from "./report/report-document.js";
export {
	findGaps,
	profileSources,
	toTimeline,
} from "./report/report-sections.js";
export {
	chooseSentences,
	extractiveWriter,
	type Prose,
	type Writer,
	writeFromPassages,
	writeProse,
} from "./written-prose.js";
