import { z } from "zod";
import {
	dayField,
	digitsField,
	evidenceSchema,
	graphIdField,
	LIMITS,
	limitField,
	limitQuery,
	listField,
	outputOf,
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

const HISTORY_PERIODS_MAX = 60;
const STEPS = ["month", "quarter", "year"] as const;
const historyFields = {
	step: z
		.enum(STEPS, `must be one of ${STEPS.join(", ")}`)
		.default("quarter")
		.describe("Length of a period"),
	as_of: momentumDayField.optional(),
};

export const trendHistoryInput = z.strictObject({
	trend_id: trendIdField,
	...historyFields,
	periods: z
		.int("must be a whole number")
		.min(1, "must be at least 1")
		.max(HISTORY_PERIODS_MAX, `must be at most ${HISTORY_PERIODS_MAX}`)
		.default(12),
});

export const trendHistoryQuery = z.strictObject({
	...historyFields,
	periods: digitsField(HISTORY_PERIODS_MAX).default(12).describe("Periods wanted"),
});

export const trendHistoryOutput = dataOf(
	replyComponent(
		"TrendHistory",
		z.object({
			trend_id: z.string(),
			title: z.string(),
			graph_id: z.string(),
			step: z.enum(STEPS),
			items: z
				.array(
					momentumSchema.safeExtend({
						published: z.int().describe("Distinct sources published in the period itself"),
					}),
				)
				.describe("Oldest first"),
		}),
	),
);

/** How many of each kind. */
const moversLimit = { limit: limitField.default(LIMITS.rowsDefault) };

export const movedInput = z.strictObject({
	graph_id: trendListInput.shape.graph_id,
	type: trendListInput.shape.type,
	...otherConditions,
	as_of: momentumDayField.optional(),
	...moversLimit,
});

export const movedOutput = outputOf(
	replyComponent(
		"TrendMovers",
		z.object({
			rising: z.array(trendItemSchema).describe("Of positive momentum, the greatest first"),
			falling: z.array(trendItemSchema).describe("Of negative momentum, the least first"),
			new: z
				.array(trendItemSchema)
				.describe("Whose dated sources are all of the last 365 days, the most sources first"),
		}),
	),
	z.object({ as_of: z.string() }),
);

export const trendListOutput = pagesOf(trendItemSchema);
export const trendOutput = dataOf(trendSchema);
export const trendEvidenceOutput = pagesOf(
	evidenceSchema.extend({ article_ref: z.string().nullable() }),
);

/** The same conditions as a request line says them. */
const listQuery = {
	graph_id: trendListInput.shape.graph_id,
	type: listField(type.unwrap())
		.describe("Types of node, parted by commas; Trend and Signal by default")
		.optional(),
	tags: listField(tags.unwrap()).describe("Tags, parted by commas: at least one").optional(),
	...conditions,
	as_of: momentumDayField.optional(),
};

export const trendListQuery = z.strictObject({ ...listQuery, ...pageQuery });
export const movedQuery = z.strictObject({ ...listQuery, limit: limitQuery });
