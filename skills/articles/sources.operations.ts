import { z } from "zod";
import {
	catalogPageQuery,
	dataOperation,
	EVIDENCE_LIMITS,
	isoDayField,
	replyComponent,
	type Services,
} from "../../src/contract/contract.js";

const counts = {
	host: z.string().describe("Lower case, without www."),
	articles: z.int().describe("Distinct pages"),
	mentions: z.int().describe("Times a node cites one of them"),
	undated: z.int().describe("Pages nobody dates"),
	oldest: isoDayField.nullable().describe("Day of the oldest dated page"),
	newest: isoDayField.nullable(),
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

/** Hosts the graphs' evidence is from. Additive to the contract. */
export const sourceList = dataOperation({
	id: "sources.list",
	method: "GET",
	path: "/v1/sources",
	summary: "Hosts that are cited",
	description:
		"Every host whose pages the graphs cite, in the order of the names, in numbers only. Nobody is scored.",
	query: z.strictObject(catalogPageQuery),
	isList: true,
	freshness: "catalog",
	data: sourceListSchema,
	create:
		({ sources }: Pick<Services, "sources">) =>
		({ query }) =>
			sources.list(query),
	example: { query: { limit: "50" } },
});

/** One of these hosts. Additive to the contract. */
export const source = dataOperation({
	id: "sources.get",
	method: "GET",
	path: "/v1/sources/{host}",
	summary: "One cited host",
	description: "The same of one host, with the share of each graph.",
	params: z.strictObject({
		host: z.string().trim().min(1).max(EVIDENCE_LIMITS.hostChars).describe("host of a list"),
	}),
	isList: false,
	freshness: "catalog",
	data: sourceDetailSchema,
	create:
		({ sources }: Pick<Services, "sources">) =>
		({ params }) =>
			sources.get(params.host),
	example: { params: { host: "eips.ethereum.org" } },
});
