export { NO_PREDICTION } from "./answer-presentation.js";
export { createSourceList, toMarks, toTableLines } from "./answer-text.js";
export { numberedSources, tableOf } from "./answer-wire.js";
export { type CitationList, createCitationList, type WrittenSentence } from "./citation-gate.js";
export {
	type AnswerBlock,
	type AnswerTable,
	type ComposedAnswer,
	composeAnswer,
	composeFrom,
	decisionOf,
	passagesOf,
} from "./engine/answer-engine.js";
export { findCandidates } from "./engine/candidates.js";
export { findDatedEvents, findEventDate } from "./engine/dated-events.js";
export {
	type Candidate,
	cosineOf,
	readPassages,
	type ScoredPassage,
	scorePassages,
} from "./engine/passage-scoring.js";
export { selectPassages, tokensOf } from "./engine/passage-selection.js";
export {
	QUESTION_KINDS,
	type QuestionPart,
	readQuestion,
} from "./engine/question-reading.js";
export {
	answerQuestion,
	finishSteps,
	type OfferedEvidence,
	type QuestionAnswer,
	toAnswerWire,
} from "./question-answer.js";
export { type Denial, findDenials } from "./report/denials.js";
export {
	confidenceOfFinding,
	findContradictions,
	groupSources,
} from "./report/findings.js";
export {
	excerptsOf,
	listSection,
	proseSection,
	type Reference,
	type RenderReport,
	type ReportDocument,
	type ReportItem,
	type ReportSection,
	type ReportTable,
	tableSection,
	toLine,
	toMarkdown,
	toReferences,
	withEnd,
} from "./report/report-document.js";
export {
	findGaps,
	profileSources,
} from "./report/report-sections.js";
export { composeTopic } from "./topic-answer.js";
export { createLlmWriter, type LlmWriter } from "./writer/llm-writer.js";
export type { WriterUsage } from "./writer/writer-endpoint.js";
export { createWriterMeter, type WriterMeter, type WriterReport } from "./writer/writer-meter.js";
export type { Writer } from "./writer/writing-task.js";
export { lookAt, tryWriter, type WriterTrial } from "./writer-trial.js";
export {
	extractiveWriter,
	type Prose,
	writeFromPassages,
} from "./written-prose.js";
