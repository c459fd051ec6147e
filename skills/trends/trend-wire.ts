import { z } from "zod";
import {
	dayField,
	evidenceSchema,
	graphIdField,
	listField,
	pageQuery,
	replyComponent,
} from "../../src/contract/contract.js";
import { dataOf, pagesOf } from "../articles/articles.js";
import {
	conceptConditions,
	nodeItemSchema,
	nodeSchema,
	pageFields,
	trendIdField,
} from "../graphs/graphs.js";

/** What travels of trends: inputs of their operations, and the records they answer with. */

export const momentumDayField = dayField.describe(
	"Momentum as of this day, today by default; what was published later does not count",
);

const { type, ...otherConditions } = conceptConditions;
const { tags, ...conditions } = otherConditions;

export const trendListInput = z.strictObject({
	graph_id: graphIdField.describe("Trends of this graph only").optional(),
	type: type
		.unwrap()
		.describe("Types of node, any of them, in either case; Trend and Signal by default")
		.optional(),
	...otherConditions,
	as_of: momentumDayField.optional(),
	...pageFields,
});

export const trendInput = z.strictObject({
	trend_id: trendIdField,
	as_of: momentumDayField.optional(),
});

export const trendEvidenceInput = z.strictObject({ trend_id: trendIdField, ...pageFields });

export const momentumSchema = z
	.object({
		score: z.number().describe("log2((recent + 1) / (before + 1)): 1 is twice as much, -1 half"),
		recent: z.int().describe("Distinct sources published in the 365 days up to as_of"),
		before: z.int().describe("Those of the 365 days before these"),
		as_of: z.string(),
	})
	.describe("How much more is published on it than was a year before");
export type MomentumWire = z.infer<typeof momentumSchema>;

const trendItemSchema = replyComponent(
	"TrendItem",
	nodeItemSchema.extend({ graph_id: z.string(), momentum: momentumSchema }),
);

export const linkSchema = z.object({
	trend_id: z.string(),
	title: z.string(),
	type: z.string().describe("Type of the edge"),
	direction: z.enum(["out", "in"]),
	weight: z.number(),
});

const trendSchema = replyComponent(
	"Trend",
	nodeSchema.extend({
		graph_id: z.string(),
		momentum: momentumSchema,
		links: z.array(linkSchema).describe("What it is linked with, as it stands in the graph"),
		is_complete: z.boolean().describe("False when it has more links than are listed"),
	}),
);

export const trendListOutput = pagesOf(trendItemSchema);
export const trendOutput = dataOf(trendSchema);
export const trendEvidenceOutput = pagesOf(
	evidenceSchema.extend({ article_ref: z.string().nullable() }),
);

/** The same input as a request line says it. */
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
