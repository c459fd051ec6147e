import { z } from "zod";
import {
	DATA_STATUSES,
	DECISIONS,
	graphIdField,
	LIMITS,
	limitField,
	queryField,
	replyComponent,
	requestComponent,
	rowSchema,
} from "../../src/contract/contract.js";

/** What travels of several searches at once. */

const { batchQueriesMax } = LIMITS;

const batchQuerySchema = z.strictObject({
	query: queryField,
	graph_id: graphIdField.describe("The graph to search; all graphs by default").optional(),
	limit: limitField.default(LIMITS.rowsDefault),
});

export const batchInput = requestComponent(
	"BatchRequest",
	z.strictObject({
		queries: z
			.array(batchQuerySchema)
			.min(1, "must not be an empty list")
			.max(batchQueriesMax, `must list at most ${batchQueriesMax} queries`)
			.describe("Each is charged for, once it has an answer"),
	}),
);

const batchItemSchema = replyComponent(
	"BatchItem",
	z.object({
		query: z.string(),
		graph_id: z.string().nullable().describe("Null for a search over all graphs"),
		is_answered: z.boolean().describe("False when it has no rows"),
		decision: z.enum(DECISIONS),
		dataStatus: z.enum(DATA_STATUSES),
		missing: z.array(z.string()).describe("Words of the query that no concept covers"),
		rows: z.array(rowSchema),
	}),
);

export const batchOutput = z.object({
	ok: z.literal(true),
	data: z.object({ items: z.array(batchItemSchema).describe("In the order of the queries") }),
	meta: z.object({
		queries: z.int(),
		answered: z.int().describe("Queries with at least one row"),
		mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
	}),
});
