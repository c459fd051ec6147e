export { type CitationList, createCitationList, type WrittenSentence } from "./citation-gate.js";
export { createLlmWriter } from "./llm-writer.js";
export {
	answerQuestion,
	finishSteps,
	inReadingOrder,
	type OfferedEvidence,
	type QuestionAnswer,
	relevantOf,
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
	isSupported,
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
	writeProse,
} from "./written-prose.js";
