import { z } from "zod";
import {
	articleDetailSchema,
	articleMentionsOutput,
	articleOutput,
	articleRefField,
	articleSearchFields,
	articleSearchOutput,
	foundArticleSchema,
	mentionSchema,
} from "../../skills/articles/articles.js";
import {
	entityIdField,
	entityOutput,
	entityResolveFields,
	entityResolveOutput,
	entitySchema,
	resolvedNameSchema,
} from "../../skills/entities/entities.js";
import { batchFields, batchItemSchema, batchOutput } from "../../skills/search/search.js";
import { pageQuery, replyComponent, requestComponent, toReply } from "../contract/contract.js";

/** Paths, queries and bodies of the operations that read trends and articles. */

replyComponent("FoundArticle", foundArticleSchema);
replyComponent("Article", articleDetailSchema);
replyComponent("ArticleMention", mentionSchema);

export const articleSearchReply = toReply("ArticleSearchReply", articleSearchOutput);
export const articleReply = toReply("ArticleReply", articleOutput);
export const articleMentionsReply = toReply("ArticleMentionsReply", articleMentionsOutput);

export const articleSearchBody = requestComponent(
	"ArticleSearchRequest",
	z.strictObject(articleSearchFields),
);
export const articlePath = z.strictObject({ article_ref: articleRefField });

replyComponent("BatchItem", batchItemSchema);
export const batchReply = toReply("BatchReply", batchOutput);
export const batchBody = requestComponent("BatchRequest", z.strictObject(batchFields));

replyComponent("ResolvedName", resolvedNameSchema);
replyComponent("Entity", entitySchema);

export const entityResolveReply = toReply("EntityResolveReply", entityResolveOutput);
export const entityReply = toReply("EntityReply", entityOutput);

export const entityResolveBody = requestComponent(
	"EntityResolveRequest",
	z.strictObject(entityResolveFields),
);
export const entityPath = z.strictObject({ entity_id: entityIdField });

export const pageOnlyQuery = z.strictObject(pageQuery);
