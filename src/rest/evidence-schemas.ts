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
	momentumDayField,
	trendEvidenceOutput,
	trendIdField,
	trendItemSchema,
	trendListInput,
	trendListOutput,
	trendOutput,
	trendSchema,
} from "../../skills/articles/articles.js";
import {
	entityIdField,
	entityOutput,
	entityResolveFields,
	entityResolveOutput,
	entitySchema,
	resolvedNameSchema,
} from "../../skills/entities/entities.js";
import { conceptConditions } from "../../skills/graphs/graphs.js";
import { batchFields, batchItemSchema, batchOutput } from "../../skills/search/search.js";
import { replyComponent, requestComponent } from "../contract/contract.js";
import { listField, pageQuery } from "./graph-queries.js";
import { toReply } from "./graph-schemas.js";

/** Paths, queries and bodies of the operations that read trends and articles. */

replyComponent("TrendItem", trendItemSchema);
replyComponent("Trend", trendSchema);

export const trendListReply = toReply("TrendListReply", trendListOutput);
export const trendReply = toReply("TrendReply", trendOutput);
export const trendEvidenceReply = toReply("TrendEvidenceReply", trendEvidenceOutput);

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

const { type, tags, ...conditions } = conceptConditions;

export const trendPath = z.strictObject({ trend_id: trendIdField });
export const trendListQuery = z.strictObject({
	graph_id: trendListInput.shape.graph_id,
	type: listField(type.unwrap())
		.describe("Types of node, parted by commas; Trend and Signal by default")
		.optional(),
	tags: listField(tags.unwrap()).describe("Tags, parted by commas: at least one").optional(),
	...conditions,
	as_of: momentumDayField.optional(),
	...pageQuery,
});
export const trendQuery = z.strictObject({ as_of: momentumDayField.optional() });
export const pageOnlyQuery = z.strictObject(pageQuery);
