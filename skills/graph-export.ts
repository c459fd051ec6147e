import { createHash } from "node:crypto";
import { exportInput, exportOutput } from "../src/core/graph-feed-wire.js";
import type { Skill } from "../src/core/skill.js";
import { assertExportable, exportGraph } from "../src/knowledge/reading/graph-export.js";
import { answerIf, defineGraphSkill, type GraphSkillDeps, metaOf } from "./graph-skill.js";

/** A whole graph as one file. */
export const createGraphExport = (
	deps: GraphSkillDeps & {
		/** Public base address without a trailing slash: what names in JSON-LD begin with. */
		readonly baseUrl: () => string;
	},
): Skill<"graphs.export"> =>
	defineGraphSkill(deps, {
		operationId: "graphs.export",
		title: "Export a graph",
		description:
			"The whole graph as one file: an Open Knowledge Format bundle, JSON-LD, NDJSON, one table as CSV, or GraphML. Graphs beyond some 16 million characters are read page by page instead.",
		tags: ["graph", "export"],
		examples: ["Give me this graph as GraphML."],
		input: exportInput,
		output: exportOutput,
		example: () => ({ format: "csv", table: "edges" }),
		check: assertExportable,
		read: async (graph, { format, table }) => {
			const made = await exportGraph(graph, { format, table, baseUrl: deps.baseUrl() });
			const { content } = made;
			const isText = typeof content === "string";
			const bytes = isText ? Buffer.from(content, "utf8") : Buffer.from(content);
			return answerIf(bytes.length > 0, {
				ok: true,
				data: {
					format,
					media_type: made.mediaType,
					file_name: made.fileName,
					encoding: isText ? "utf-8" : "base64",
					bytes: bytes.length,
					sha256: createHash("sha256").update(bytes).digest("hex"),
					content: bytes.toString(isText ? "utf8" : "base64"),
				},
				meta: metaOf(graph),
			});
		},
	});
