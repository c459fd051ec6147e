import { toCsv } from "../../../src/kernel/kernel.js";
import type { Graph } from "../../../src/knowledge/knowledge.js";
import type { EXPORT_TABLES } from "../graph-feed-wire.js";
import type { Pieces } from "./export-pieces.js";
import { mapOf } from "./graph-map.js";
import { toEdgeFields, toNodeFields, toSourceFields } from "./node-fields.js";
import { type Step, toStep } from "./walk.js";

export type ExportTable = (typeof EXPORT_TABLES)[number];

type Fields = Readonly<Record<string, string | number | null | readonly string[]>>;

/** Between the values of a list in one cell; a value that holds it keeps it. */
const LIST_SEPARATOR = "|";

/** One table as RFC 4180 text; a cell that a spreadsheet would take for a formula gets a leading quote. */
export function* toCsvTable(graph: Graph, table: ExportTable): Pieces {
	let isFirst = true;
	for (const fields of rowsOf(graph, table)) {
		const head = isFirst ? [Object.keys(fields)] : [];
		isFirst = false;
		yield toCsv([...head, Object.values(fields).map(toCell)])
			.map((line) => `${line}\r\n`)
			.join("");
	}
}

/** One record per line: the graph, then its nodes with their sources, then its edges. */
export function* toNdjson(graph: Graph): Pieces {
	const { id, title, type, version, updated, description } = graph.record;
	const record = { kind: "graph", id, title, type, version, updated, description };
	yield toLine(record);
	for (const concept of mapOf(graph).concepts) {
		const { evidence_count: _, ...fields } = toNodeFields(concept);
		const evidence = concept.evidence.map(toSourceFields);
		const verified = concept.verified?.map(({ by, at }) => ({ by, at: at ?? null })) ?? [];
		yield toLine({ kind: "node", ...fields, verified, evidence });
	}
	for (const step of edgesOf(graph)) {
		yield toLine({ kind: "edge", ...toEdgeFields(step) });
	}
}

function toLine(record: object): string {
	return `${JSON.stringify(record)}\n`;
}

/** Every edge, written out of its source. */
export function* edgesOf(graph: Graph): Generator<Step> {
	const map = mapOf(graph);
	for (const edge of map.edges.keys()) yield toStep(map, edge, "out");
}

function* rowsOf(graph: Graph, table: ExportTable): Generator<Fields> {
	if (table === "edges") {
		for (const step of edgesOf(graph)) yield toEdgeFields(step);
		return;
	}
	for (const concept of mapOf(graph).concepts) {
		if (table === "nodes") yield toNodeFields(concept);
		else {
			for (const source of concept.evidence) {
				yield { node_id: concept.id, ...toSourceFields(source) };
			}
		}
	}
}

function toCell(value: Fields[string] | undefined): string {
	if (value === null || value === undefined) return "";
	return typeof value === "object" ? value.join(LIST_SEPARATOR) : String(value);
}
