import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { z } from "zod";
import { READING_LIMITS, type SkillServices, toReply } from "../../src/contract/contract.js";
import { shareJson } from "../../src/kernel/kernel.js";
import { type Graph, runInTurns, type Steps } from "../../src/knowledge/knowledge.js";
import { exportInput, exportOutput, exportQuery, type exportSchema } from "./graph-feed-wire.js";
import { answerOn, GRAPH_PARAMS, readingOperation } from "./graph-reading.js";
import {
	assertExportable,
	type ExportRequest,
	exportGraph,
	exportVolumes,
	type GraphExport,
} from "./reading/graph-export.js";

const PAGE_NODES = READING_LIMITS.exportNodesPerUnit;

/** A whole graph as one file. Additive to the contract. */
export const graphExport = readingOperation({
	id: "graphs.export",
	at: "GET /v1/graphs/{graph_id}/export",
	summary: "Export a graph",
	description: `The whole graph as one file within the answer: okf (a zip archive, as base64), jsonld, ndjson, csv (one table) or graphml; up to ${READING_LIMITS.exportBytes / 1e6} MB. The price is that of its nodes page by page: once for every ${READING_LIMITS.exportNodesPerUnit} of them begun, so that the free plan covers a graph of one page.`,
	query: exportQuery,
	reply: toReply("GraphExportReply", exportOutput),
	about: `The whole graph as one file: an Open Knowledge Format bundle, JSON-LD, NDJSON, one table as CSV, or GraphML, for the price of its nodes page by page: once for every ${PAGE_NODES} of them begun. Graphs beyond ${READING_LIMITS.exportBytes / 1e6} MB are read page by page instead.`,
	tags: ["graph", "export"],
	examples: ["Give me this graph as GraphML."],
	input: exportInput,
	output: exportOutput,
	index: exportVolumes,
	exampleInput: () => ({ format: "csv", table: "edges" }),
	units: {
		name: `${PAGE_NODES} nodes`,
		countOf: ({ graph_id }, { catalog }) => {
			const nodes = catalog.find(graph_id)?.concepts.length ?? 0;
			return Math.max(1, Math.ceil(nodes / PAGE_NODES));
		},
	},
	check: assertExportable,
	create: ({ baseUrl, runExport }: Pick<SkillServices, "baseUrl" | "runExport">) => {
		const getExport = createExportCache(runExport);
		return async (graph, { format, table }, { signal }) => {
			const request = { format, table, baseUrl: baseUrl() };
			const data = await getExport(graph, request, signal);
			return answerOn(graph, data.bytes > 0, data);
		};
	},
	example: { params: GRAPH_PARAMS, query: { format: "csv", table: "edges" } },
});

export type ExportData = z.infer<typeof exportSchema>;

/** Runs work when it is its turn. Throws RATE_LIMITED when too much waits already. */
export type RunBounded = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** An export that is being made, for everybody who waits for it. */
interface Making {
	readonly data: Promise<ExportData>;
	readonly stop: AbortController;
	waiting: number;
}

/**
 * Exports of graphs, each memoized however many ask for it and again, dropped when the last of them leaves, and kept as
 * bytes while there is room: who is sent one gets no copy of it.
 */
export function createExportCache(runBounded: RunBounded) {
	const kept = new LRUCache<string, Kept>({
		maxSize: READING_LIMITS.exportsKeptBytes,
		sizeCalculation: ({ bytes }) => bytes,
	});
	const making = new Map<string, Making>();

	const begin = (key: string, graph: Graph, request: ExportRequest): Making => {
		const stop = new AbortController();
		const make = async (): Promise<ExportData> => {
			const file = await exportGraph(graph, request, stop.signal);
			const made = await runInTurns(toKept(file, request), stop.signal);
			kept.set(key, made);
			return made.data;
		};
		const begun: Making = { data: runBounded(make, stop.signal), stop, waiting: 0 };
		const forget = () => {
			if (making.get(key) === begun) making.delete(key);
		};
		making.set(key, begun);
		stop.signal.addEventListener("abort", forget, { once: true });
		begun.data.then(forget, forget);
		return begun;
	};

	return async (graph: Graph, request: ExportRequest, signal: AbortSignal): Promise<ExportData> => {
		const { format, table, baseUrl } = request;
		const part = format === "csv" ? table : "";
		const key = [graph.record.id, graph.contentHash, baseUrl, format, part].join(" ");
		const known = kept.get(key);
		if (known) return known.data;
		signal.throwIfAborted();
		return waitFor(making.get(key) ?? begin(key, graph, request), signal);
	};
}

async function waitFor(making: Making, signal: AbortSignal): Promise<ExportData> {
	const leave = () => {
		making.waiting -= 1;
		if (making.waiting === 0) making.stop.abort(signal.reason);
	};
	making.waiting += 1;
	signal.addEventListener("abort", leave, { once: true });
	try {
		return await making.data;
	} finally {
		signal.removeEventListener("abort", leave);
	}
}

interface Kept {
	readonly data: ExportData;
	/** Of memory. */
	readonly bytes: number;
}

function* toKept(file: GraphExport, { format }: ExportRequest): Steps<Kept> {
	const hash = createHash("sha256");
	let bytes = 0;
	for (const chunk of file.chunks) {
		hash.update(chunk);
		bytes += chunk.byteLength;
		yield;
	}
	const about = {
		format,
		media_type: file.mediaType,
		file_name: file.fileName,
		encoding: file.isText ? ("utf-8" as const) : ("base64" as const),
		bytes,
		sha256: hash.digest("hex"),
	};
	const head = `${JSON.stringify(about).slice(0, -1)},"content":"`;
	const content = file.isText ? yield* toEscaped(file.chunks) : [toBase64(file.chunks)];
	const json = Buffer.concat([Buffer.from(head), ...content, Buffer.from('"}')]);
	const data: ExportData = {
		...about,
		get content() {
			return JSON.parse(json.toString("utf8")).content;
		},
	};
	return { data: shareJson(data, json), bytes: json.byteLength };
}

/** What stands between the quotes of a JSON text. */
function* toEscaped(chunks: readonly Uint8Array[]): Steps<Uint8Array[]> {
	const escaped: Uint8Array[] = [];
	for (const chunk of chunks) {
		const quoted = JSON.stringify(Buffer.from(chunk).toString("utf8"));
		escaped.push(Buffer.from(quoted.slice(1, -1), "utf8"));
		yield;
	}
	return escaped;
}

function toBase64(chunks: readonly Uint8Array[]): Uint8Array {
	return Buffer.from(Buffer.concat(chunks).toString("base64"), "latin1");
}
