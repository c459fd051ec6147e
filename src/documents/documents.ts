/** Reading other people's documents one by one: encodings, front matter, dialects of Markdown, what is private. */
export { type Companions, isCompanion, readCompanions } from "./companions.js";
export { reasonAgainstFormat, withoutEnding } from "./document-formats.js";
export { DOCUMENT_LIMITS } from "./document-limits.js";
export {
	cascadeOf,
	createDocumentReader,
	type DocumentReader,
	describeBody,
	type ForeignDocument,
	isSection,
	namesIn,
	type Refusal,
} from "./document-reader.js";
export {
	type FrontMatter,
	isMapping,
	listOf,
	parseDay,
	parseMarkdown,
	parseSourceDate,
	textOf,
	textsOf,
} from "./front-matter.js";
export type { DocumentPart } from "./heading-cuts.js";
export {
	FOOTNOTE,
	findLinkTargets,
	firstHeading,
	firstParagraph,
	isProse,
	isWebAddress,
	resolveLink,
	resolveRoutes,
	toBlocks,
	toParagraphs,
	toSections,
	toTableSentences,
	withoutCode,
} from "./markdown.js";
export { cleanLine, cleanText, toPlainText, truncateText } from "./served-text.js";
export { toUtf8 } from "./text-encoding.js";
export { chooseTitles, isIdentifier, leadingNumber, toReadableName } from "./title-choice.js";
export { reasonToWithhold } from "./withheld.js";
