export { toMarks } from "./answer-text.js";
export {
	type CitationList,
	createCitationList,
	type WrittenSentence,
} from "./citation-gate.js";
export { composeAnswer, decisionOf, passagesOf } from "./engine/answer-engine.js";
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
export { createLlmWriter, type LlmWriter } from "./writer/llm-writer.js";
export type { WriterUsage } from "./writer/writer-endpoint.js";
export { createWriterMeter, type WriterMeter, type WriterReport } from "./writer/writer-meter.js";
export type { Writer } from "./writer/writing-task.js";
export { lookAt, tryWriter, type WriterTrial } from "./writer-trial.js";
export {
	chooseSentences,
	extractiveWriter,
	type Prose,
	writeFromPassages,
	writeProse,
} from "./written-prose.js";
