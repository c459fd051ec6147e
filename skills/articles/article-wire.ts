import { z } from "zod";
import {
	DATE_PRECISIONS,
	dayField,
	EVIDENCE_LIMITS,
	graphIdField,
	limitField,
	outputOf,
	queryField,
	replyComponent,
	requestComponent,
} from "../../src/contract/contract.js";
import { pageFields } from "../graphs/graphs.js";

/** What travels of articles: inputs of their operations, and the records they answer with. */

/** Who pays for what is read over several graphs. */
export const EVIDENCE_BILLING =
	"Paid per call; what does not exist, and an answer without anything in it, cost nothing.";

export const articleRefField = z
	.string()
	.regex(/^art_[0-9a-f]{20}$/, "must be an article_ref: art_ and 20 hexadecimal digits")
	.describe("article_ref of an article");

export const articleSearchInput = requestComponent(
	"ArticleSearchRequest",
	z.strictObject({
		query: queryField.describe("Words of the title"),
		graph_id: graphIdField.describe("Articles this graph cites only").optional(),
		host: z
			.string()
			.trim()
			.toLowerCase()
			.min(1, "must not be empty")
			.max(EVIDENCE_LIMITS.hostChars)
			.describe("Articles of this host only, as GET /v1/sources lists it")
			.optional(),
		published_after: dayField.describe("Published on this day or later").optional(),
		published_before: dayField.describe("Published on this day or earlier").optional(),
		limit: limitField.default(10),
	}),
);
export const articleInput = z.strictObject({ article_ref: articleRefField });
export const articleMentionsInput = z.strictObject({ article_ref: articleRefField, ...pageFields });

const articleSchema = z.object({
	article_ref: z.string().describe("art_ and the beginning of the address's sha256"),
	title: z.string(),
	source_url: z.string(),
	host: z.string(),
	published_at: z.string().nullable().describe("ISO 8601 date; null when nobody dates it"),
	date_precision: z.enum(DATE_PRECISIONS).nullable(),
	graphs: z.array(z.string()).describe("Graphs that cite it"),
	mentions: z.int().describe("Nodes that cite it"),
});
export type ArticleWire = z.infer<typeof articleSchema>;

const foundArticleSchema = replyComponent(
	"FoundArticle",
	articleSchema.extend({
		score: z.number().describe("0 to 1, comparable within one answer only"),
	}),
);

const articleDetailSchema = replyComponent(
	"Article",
	articleSchema.extend({
		titles: z.array(z.string()).describe("Every title it is cited under"),
		addresses: z.array(z.string()).describe("Every address it is cited by"),
	}),
);

const mentionSchema = replyComponent(
	"ArticleMention",
	z.object({
		trend_id: z.string(),
		graph_id: z.string(),
		node_id: z.string(),
		title: z.string(),
		type: z.string(),
		article_id: z.string().describe("The source's id within the node"),
	}),
);

const pageMeta = z.object({
	next_cursor: z.string().nullable().describe("Null when the list is complete"),
});

/** The envelope of a paid answer over several graphs. */
export const dataOf = <D extends z.ZodType>(data: D) => outputOf(data, z.object({}));
export const itemsOf = <T extends z.ZodType>(item: T) => dataOf(z.object({ items: z.array(item) }));
export const pagesOf = <T extends z.ZodType>(item: T) =>
	outputOf(z.object({ items: z.array(item) }), pageMeta);

export const articleSearchOutput = itemsOf(foundArticleSchema);
export const articleOutput = dataOf(articleDetailSchema);
export const articleMentionsOutput = pagesOf(mentionSchema);
