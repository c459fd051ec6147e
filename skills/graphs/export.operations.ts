import {
	paidOperation,
	READING_LIMITS,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { createExportCache } from "./export-cache.js";
import { GRAPH_PARAMS } from "./graph-examples.js";
import { exportInput, exportOutput, exportQuery } from "./graph-feed-wire.js";
import { answerIf, graphReading, metaOf } from "./graph-reading.js";
import { assertExportable, exportVolumes } from "./reading/graph-export.js";

const PAGE_NODES = READING_LIMITS.exportNodesPerUnit;

/** A whole graph as one file. Additive to the contract. */
export const graphExport = paidOperation(
	graphReading({
		id: "graphs.export",
		method: "GET",
		path: "/v1/graphs/{graph_id}/export",
		summary: "Export a graph",
		description: `The whole graph as one file within the answer: okf (a zip archive, as base64), jsonld, ndjson, csv (one table) or graphml; up to ${READING_LIMITS.exportBytes / 1e6} MB. The price is that of its nodes page by page: once for every ${READING_LIMITS.exportNodesPerUnit} of them begun, so that the free plan covers a graph of one page.`,
		query: exportQuery,
		reply: toReply("GraphExportReply", exportOutput),
		title: "Export a graph",
		about: `The whole graph as one file: an Open Knowledge Format bundle, JSON-LD, NDJSON, one table as CSV, or GraphML, for the price of its nodes page by page: once for every ${PAGE_NODES} of them begun. Graphs beyond ${READING_LIMITS.exportBytes / 1e6} MB are read page by page instead.`,
		tags: ["graph", "export"],
		examples: ["Give me this graph as GraphML."],
		input: exportInput,
		output: exportOutput,
		index: exportVolumes,
		exampleInput: () => ({ format: "csv", table: "edges" }),
		units: {
			name: `${PAGE_NODES} nodes`,
			countOf: ({ graph_id }, { catalog }) => unitsOf(catalog.find(graph_id)?.concepts.length ?? 0),
		},
		check: assertExportable,
		create: ({ baseUrl, runExport }: Pick<SkillServices, "baseUrl" | "runExport">) => {
			const getExport = createExportCache(runExport);
			return async (graph, { format, table }, { signal }) => {
				const request = { format, table, baseUrl: baseUrl() };
				const data = await getExport(graph, request, signal);
				return answerIf(data.bytes > 0, { ok: true, data, meta: metaOf(graph) });
			};
		},
		example: { params: GRAPH_PARAMS, query: { format: "csv", table: "edges" } },
	}),
);

function unitsOf(nodes: number): number {
	return Math.max(1, Math.ceil(nodes / PAGE_NODES));
}
