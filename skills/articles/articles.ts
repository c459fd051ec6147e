export { articleIndexOf } from "./article-index.js";
export { articleRefField, dataOf, EVIDENCE_BILLING, itemsOf, pagesOf } from "./article-wire.js";
export { createCitations, type FormatCitations } from "./citation-formats.js";
export { createSourceDirectory, type SourceDirectory } from "./source-directory.js";
