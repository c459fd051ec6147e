import { READING_LIMITS } from "../../../src/contract/contract.js";
import { ServiceError } from "../../../src/kernel/kernel.js";
import {
	bundleFilesOf,
	type Graph,
	packInSteps,
	runInTurns,
} from "../../../src/knowledge/knowledge.js";
import type { ExportFormat } from "../graph-feed-wire.js";
import { toGraphml } from "./export-graphml.js";
import { toJsonLdDocument } from "./export-json-ld.js";
import { gatherPieces, type Pieces } from "./export-pieces.js";
import { leastExportChars } from "./export-size.js";
import { type ExportTable, toCsvTable, toNdjson } from "./export-tables.js";

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
	readonly isText: boolean;
	/** The file's bytes in order, a text's in pieces of whole characters. */
	readonly chunks: readonly Uint8Array[];
}

interface Writer {
	readonly mediaType: string;
	readonly ending: string;
	readonly write: (graph: Graph, request: ExportRequest) => Pieces;
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

/**
 * A whole graph as one file, made while other work goes on and dropped once nobody wants it. Throws INVALID_ARGUMENT when it
 * turns out too large.
 */
export async function exportGraph(
	graph: Graph,
	request: ExportRequest,
	signal: AbortSignal,
): Promise<GraphExport> {
	assertExportable(graph, request);
	const { mediaType, ending, write } = WRITERS[request.format];
	const { id, version } = graph.record;
	const part = request.format === "csv" ? `${request.table}.` : "";
	const fileVersion = version.replace(/[^\w.+-]/g, "_").slice(0, 40);
	const pieces = gatherPieces(write(graph, request), READING_LIMITS.exportBytes);
	const chunks = await runInTurns(pieces, signal);
	if (!chunks) throw refuseFromNowOn(graph, request);
	return {
		mediaType,
		fileName: `${id}-${fileVersion}.${part}${ending}`,
		isText: request.format !== "okf",
		chunks,
	};
}

/** Files that turned out too large once they were written. */
const tooLarge = new WeakMap<Graph, Set<string>>();

/** Throws INVALID_ARGUMENT for a graph that is too large to be one file. */
export function assertExportable(
	graph: Graph,
	request: Pick<ExportRequest, "format" | "table">,
): void {
	const isKnown = tooLarge.get(graph)?.has(nameOf(request));
	if (isKnown || leastExportChars(graph, request) > READING_LIMITS.exportBytes) {
		throw refusal(graph, request);
	}
}

function refuseFromNowOn(graph: Graph, request: ExportRequest): ServiceError {
	const known = tooLarge.get(graph) ?? new Set();
	tooLarge.set(graph, known.add(nameOf(request)));
	return refusal(graph, request);
}

function nameOf({ format, table }: Pick<ExportRequest, "format" | "table">): string {
	return format === "csv" ? `${format} ${table}` : format;
}

function refusal({ record }: Graph, { format }: Pick<ExportRequest, "format">): ServiceError {
	return new ServiceError(
		"INVALID_ARGUMENT",
		`The graph "${record.id}" has more than ${READING_LIMITS.exportBytes} bytes as ${format}, the most that is exported as one file. Read it page by page at GET /v1/graphs/${record.id}/nodes.`,
	);
}

function* toBundle(graph: Graph, request: ExportRequest): Pieces {
	const files = yield* bundleFilesOf(graph);
	let bytes = 0;
	for (const file of files.values()) bytes += file.byteLength;
	// Packed it may be small; it is what comes out of it that is bounded.
	if (bytes > READING_LIMITS.exportBytes) throw refuseFromNowOn(graph, request);
	yield yield* packInSteps(files);
}
