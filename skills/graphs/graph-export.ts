import { READING_LIMITS, type Skill } from "../../src/contract/contract.js";
import { createExportCache, type RunBounded } from "./export-cache.js";
import { exportInput, exportOutput } from "./graph-feed-wire.js";
import { answerIf, defineGraphSkill, type GraphSkillDeps, metaOf } from "./graph-skill.js";
import { assertExportable, exportVolumes } from "./reading/graph-export.js";

const PAGE_NODES = READING_LIMITS.exportNodesPerUnit;

/** A whole graph as one file. */
export const createGraphExport = (
	deps: GraphSkillDeps & {
		/** Public base address without a trailing slash: what names in JSON-LD begin with. */
		readonly baseUrl: () => string;
		readonly runExport: RunBounded;
	},
): Skill<"graphs.export"> => {
	const getExport = createExportCache(deps.runExport);
	return defineGraphSkill(deps, {
		operationId: "graphs.export",
		title: "Export a graph",
		description: `The whole graph as one file: an Open Knowledge Format bundle, JSON-LD, NDJSON, one table as CSV, or GraphML, for the price of its nodes page by page: once for every ${PAGE_NODES} of them begun. Graphs beyond ${READING_LIMITS.exportBytes / 1e6} MB are read page by page instead.`,
		tags: ["graph", "export"],
		examples: ["Give me this graph as GraphML."],
		input: exportInput,
		output: exportOutput,
		index: exportVolumes,
		example: () => ({ format: "csv", table: "edges" }),
		units: {
			name: `${PAGE_NODES} nodes`,
			countOf: ({ graph_id }) => unitsOf(deps.catalog.find(graph_id)?.concepts.length ?? 0),
		},
		check: assertExportable,
		read: async (graph, { format, table }, { signal }) => {
			const request = { format, table, baseUrl: deps.baseUrl() };
			const data = await getExport(graph, request, signal);
			return answerIf(data.bytes > 0, { ok: true, data, meta: metaOf(graph) });
		},
	});
};

function unitsOf(nodes: number): number {
	return Math.max(1, Math.ceil(nodes / PAGE_NODES));
}
