import { z } from "zod";
import {
	cursorField,
	isoDayField as dayField,
	digitsField,
	EVIDENCE_LIMITS,
	type FreeOperationId,
	graphIdField,
	replyComponent,
} from "../contract/contract.js";
import { dataRoute } from "./define-route.js";
import type { DataRoute } from "./route.js";

type SourceOperationId = Extract<FreeOperationId, "sources.list" | "sources.get">;

const counts = {
	host: z.string().describe("Lower case, without www."),
	articles: z.int().describe("Distinct pages"),
	mentions: z.int().describe("Times a node cites one of them"),
	undated: z.int().describe("Pages nobody dates"),
	oldest: dayField.nullable().describe("Day of the oldest dated page"),
	newest: dayField.nullable(),
};
const sourceSchema = replyComponent(
	"Source",
	z.object({ ...counts, graphs: z.array(z.string()).describe("Graphs that cite it") }),
);
const sourceListSchema = replyComponent("SourceList", z.object({ items: z.array(sourceSchema) }));
const sourceDetailSchema = replyComponent(
	"SourceDetail",
	z.object({
		...counts,
		graphs: z.array(z.object({ graph_id: z.string(), articles: z.int(), mentions: z.int() })),
	}),
);

const nothing = z.strictObject({});
const numbers = {
	host: "eips.ethereum.org",
	articles: 105,
	mentions: 251,
	undated: 0,
	oldest: "2015-10-27",
	newest: "2026-01-29",
};

/** What graphs of a catalog list a page at a time. */
export const catalogPageQuery = {
	graph_id: graphIdField.optional().describe("Of this graph only"),
	limit: digitsField(EVIDENCE_LIMITS.listMax)
		.default(EVIDENCE_LIMITS.listDefault)
		.describe("Items on a page"),
	cursor: cursorField.optional(),
};

/** Where the graphs' evidence is from. Additive to the contract. */
export const SOURCE_ROUTES: Readonly<Record<SourceOperationId, DataRoute>> = {
	"sources.list": dataRoute({
		operationId: "sources.list",
		summary: "Hosts that are cited",
		description:
			"Every host whose pages the graphs cite, in the order of the names, in numbers only. Nobody is scored.",
		path: nothing,
		query: z.strictObject(catalogPageQuery),
		isList: true,
		freshness: "catalog",
		data: sourceListSchema,
		answer: (free, { query }) => free.sources.list(query),
		example: {
			query: { limit: "50" },
			data: { items: [{ ...numbers, graphs: ["agent-payments", "ethereum-standards"] }] },
		},
	}),
	"sources.get": dataRoute({
		operationId: "sources.get",
		summary: "One cited host",
		description: "The same of one host, with the share of each graph.",
		path: z.strictObject({
			host: z.string().trim().min(1).max(EVIDENCE_LIMITS.hostChars).describe("host of a list"),
		}),
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: sourceDetailSchema,
		answer: (free, { path }) => free.sources.get(path.host),
		example: {
			path: { host: "eips.ethereum.org" },
			data: {
				...numbers,
				graphs: [
					{ graph_id: "agent-payments", articles: 14, mentions: 37 },
					{ graph_id: "ethereum-standards", articles: 98, mentions: 214 },
				],
			},
		},
	}),
};
