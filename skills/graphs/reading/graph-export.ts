import { READING_LIMITS } from "../../../src/contract/contract.js";
import { invalidArgument, type ServiceError } from "../../../src/kernel/kernel.js";
import {
	bundleFilesOf,
	type Graph,
	packInSteps,
	runInTurns,
	type Steps,
} from "../../../src/knowledge/knowledge.js";
import type { ExportFormat } from "../graph-feed-wire.js";
import {
	type ExportTable,
	type Pieces,
	toCsvTable,
	toGraphml,
	toJsonLdDocument,
	toNdjson,
} from "./export-formats.js";
import { createGraphIndex, edgesOutOf, mapOf } from "./graph-map.js";

interface ExportedFile {
	readonly format: ExportFormat;
	readonly table: ExportTable;
}

export interface ExportRequest extends ExportedFile {
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
	jsonld: { mediaType: "application/ld+json", ending: "jsonld", write: toJsonLdDocument },
	ndjson: { mediaType: "application/x-ndjson", ending: "ndjson", write: toNdjson },
	csv: {
		mediaType: "text/csv; charset=utf-8",
		ending: "csv",
		write: (graph, { table }) => toCsvTable(graph, table),
	},
	graphml: { mediaType: "application/graphml+xml", ending: "graphml", write: toGraphml },
};

/** A whole graph as one file. Throws INVALID_ARGUMENT when it turns out too large. */
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
export function assertExportable(graph: Graph, request: ExportedFile): void {
	const isKnown = tooLarge.get(graph)?.has(nameOf(request));
	if (isKnown || leastExportChars(graph, request) > READING_LIMITS.exportBytes) {
		throw refusal(graph, request);
	}
}

function refuseFromNowOn(graph: Graph, request: ExportRequest): ServiceError {
	tooLarge.set(graph, (tooLarge.get(graph) ?? new Set()).add(nameOf(request)));
	return refusal(graph, request);
}

function nameOf({ format, table }: ExportedFile): string {
	return format === "csv" ? `${format} ${table}` : format;
}

function refusal({ record }: Graph, { format }: ExportedFile): ServiceError {
	return invalidArgument(
		`The graph "${record.id}" has more than ${READING_LIMITS.exportBytes} bytes as ${format}, the most that is exported as one file. Read it page by page at GET /v1/graphs/${record.id}/nodes.`,
	);
}

function* toBundle(graph: Graph, request: ExportRequest): Pieces {
	const files = yield* bundleFilesOf(withoutOwners(graph));
	let bytes = 0;
	for (const file of files.values()) bytes += file.byteLength;
	// Packed it may be small; it is what comes out of it that is bounded.
	if (bytes > READING_LIMITS.exportBytes) throw refuseFromNowOn(graph, request);
	yield yield* packInSteps(files);
}

/** Who shares in the revenue is no matter of those who buy. */
function withoutOwners({ record, concepts }: Graph): Pick<Graph, "record" | "concepts"> {
	const { terms } = record;
	return { record: { ...record, terms: terms && { ...terms, owners: [] } }, concepts };
}

/** Records of one kind: how many, and the characters of the fields they are written with. */
interface Volume {
	records: number;
	chars: number;
}

export const exportVolumes = createGraphIndex(toVolumes);

/** Characters an export has at least: every field and the names of the fields, escapes not counted. */
export function leastExportChars(graph: Graph, { format, table }: ExportedFile): number {
	const { nodes, edges, evidence, addressChars } = exportVolumes.of(graph);
	if (format === "csv") {
		const { records, chars } = { nodes, edges, evidence }[table];
		return chars + COMMAS[table] * records;
	}
	const names = NAMES[format];
	const all = nodes.chars + edges.chars + names.node * nodes.records + names.edge * edges.records;
	if (format === "graphml") return all;
	// An article is named by its address, has it, and its node is derived from it.
	const again = format === "jsonld" ? 2 * addressChars : 0;
	return all + evidence.chars + names.source * evidence.records + again;
}

const COMMAS: Readonly<Record<ExportTable, number>> = { nodes: 12, edges: 5, evidence: 4 };

/** Characters around the fields of one record. */
const NAMES = {
	okf: { node: 20, edge: 4, source: 20 },
	jsonld: { node: 300, edge: 60, source: 60 },
	ndjson: { node: 220, edge: 80, source: 60 },
	graphml: { node: 100, edge: 90, source: 0 },
};

function* toVolumes(graph: Graph) {
	const nodes: Volume = { records: 0, chars: 0 };
	const edges: Volume = { records: 0, chars: 0 };
	const evidence: Volume = { records: 0, chars: 0 };
	// A part of the evidence.
	let addressChars = 0;
	const map = mapOf(graph);
	for (const [place, concept] of map.concepts.entries()) {
		const { id, type, title, summary, body, tags, aliases } = concept;
		nodes.records += 1;
		nodes.chars += lengthOf([id, type, title, summary, body]) + lengthOf(tags) + lengthOf(aliases);
		for (const { articleId, title: name, sourceUrl } of concept.evidence) {
			evidence.records += 1;
			evidence.chars += lengthOf([articleId, name, sourceUrl]);
			addressChars += sourceUrl.length;
		}
		for (const edge of edgesOutOf(map, place)) {
			edges.records += 1;
			edges.chars += edge.type.length + edge.target.length;
		}
		yield;
	}
	return { nodes, edges, evidence, addressChars };
}

function lengthOf(texts: readonly string[]): number {
	return texts.reduce((sum, { length }) => sum + length, 0);
}

/** Texts are gathered up to this length before they become bytes. */
const CHUNK_CHARS = 64 * 1024;

/** Bytes of a file in chunks of some 64 KB, each of whole characters; undefined once there are more than `bytesMax`. */
function* gatherPieces(pieces: Pieces, bytesMax: number): Steps<readonly Uint8Array[] | undefined> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	let text = "";
	const add = (chunk: Uint8Array): void => {
		bytes += chunk.byteLength;
		chunks.push(chunk);
	};
	for (const piece of pieces) {
		if (typeof piece === "string") text += piece;
		else if (piece) add(piece);
		if (text.length >= CHUNK_CHARS) {
			add(Buffer.from(text, "utf8"));
			text = "";
		}
		if (bytes > bytesMax) return undefined;
		yield;
	}
	if (text !== "") add(Buffer.from(text, "utf8"));
	return bytes > bytesMax ? undefined : chunks;
}
