import { ServiceError } from "../../core/errors.js";
import type { EXPORT_FORMATS } from "../../core/graph-feed-wire.js";
import { READING_LIMITS } from "../../core/limits.js";
import { packInSteps } from "../archive.js";
import { bundleFilesOf } from "../bundle-writer.js";
import type { Graph } from "../graph.js";
import { runInTurns, type Steps } from "../work-in-turns.js";
import { toGraphml } from "./export-graphml.js";
import { toJsonLdDocument } from "./export-json-ld.js";
import { type ExportTable, toCsvTable, toNdjson } from "./export-tables.js";

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportRequest {
	readonly format: ExportFormat;
	/** Which table, for CSV. */
	readonly table: ExportTable;
	/** Public base address without a trailing slash: what names in JSON-LD begin with. */
	readonly baseUrl: string;
}

export interface GraphExport {
	readonly mediaType: string;
	readonly fileName: string;
	readonly content: string | Uint8Array;
}

interface Writer {
	readonly mediaType: string;
	readonly ending: string;
	readonly write: (graph: Graph, request: ExportRequest) => Steps<string | Uint8Array>;
}

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
	okf: { mediaType: "application/zip", ending: "okf.zip", write: toBundle },
	jsonld: {
		mediaType: "application/ld+json",
		ending: "jsonld",
		write: toJsonLdDocument,
	},
	ndjson: { mediaType: "application/x-ndjson", ending: "ndjson", write: toNdjson },
	csv: {
		mediaType: "text/csv; charset=utf-8",
		ending: "csv",
		write: (graph, { table }) => toCsvTable(graph, table),
	},
	graphml: { mediaType: "application/graphml+xml", ending: "graphml", write: toGraphml },
};

/** A whole graph as one file, made while other work goes on. */
export async function exportGraph(graph: Graph, request: ExportRequest): Promise<GraphExport> {
	const { mediaType, ending, write } = WRITERS[request.format];
	const { id, version } = graph.record;
	const part = request.format === "csv" ? `${request.table}.` : "";
	const fileVersion = version.replace(/[^\w.+-]/g, "_").slice(0, 40);
	return {
		mediaType,
		fileName: `${id}-${fileVersion}.${part}${ending}`,
		content: await runInTurns(write(graph, request)),
	};
}

/** Throws INVALID_ARGUMENT for a graph that is too large to be one file. */
export function assertExportable(graph: Graph): void {
	const chars = charsOf(graph);
	if (chars <= READING_LIMITS.exportChars) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`The graph "${graph.record.id}" has about ${chars} characters; up to ${READING_LIMITS.exportChars} are exported as one file. Read it page by page at GET /v1/graphs/${graph.record.id}/nodes.`,
	);
}

function* toBundle(graph: Graph): Steps<Uint8Array> {
	return yield* packInSteps(yield* bundleFilesOf(graph));
}

const counted = new WeakMap<Graph, number>();

/** Of its texts; what an export adds to them is of the same order. */
function charsOf(graph: Graph): number {
	const known = counted.get(graph);
	if (known !== undefined) return known;
	let chars = 0;
	for (const { body, summary, title, evidence, edges } of graph.concepts) {
		chars +=
			body.length + summary.length + title.length + 200 * evidence.length + 80 * edges.length;
	}
	counted.set(graph, chars);
	return chars;
}
