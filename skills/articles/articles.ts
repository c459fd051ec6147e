export { articleIndexOf } from "./article-index.js";
export { createArticle, createArticleMentions, createArticleSearch } from "./article-skills.js";
export { createCitations, type FormatCitations } from "./citation-formats.js";
export {
	articleDetailSchema,
	articleMentionsOutput,
	articleOutput,
	articleRefField,
	articleSearchFields,
	articleSearchOutput,
	dataOf,
	foundArticleSchema,
	itemsOf,
	mentionSchema,
	pagesOf,
} from "./evidence-wire.js";
export { createSourceDirectory, type SourceDirectory } from "./source-directory.js";
