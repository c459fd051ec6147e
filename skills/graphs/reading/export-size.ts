import type { Graph, Steps } from "../../../src/knowledge/knowledge.js";
import type { ExportFormat } from "../graph-feed-wire.js";
import type { ExportTable } from "./export-tables.js";
import { createGraphIndex } from "./graph-index.js";
import { mapOf } from "./graph-map.js";

/** Records of one kind: how many, and the characters of the fields they are written with. */
interface Volume {
	records: number;
	chars: number;
}

interface Volumes {
	readonly nodes: Volume;
	readonly edges: Volume;
	readonly evidence: Volume;
	/** Of addresses alone; a part of `evidence`. */
	readonly addressChars: number;
}

/** What the parts of each graph come to in an export. */
export const exportVolumes = createGraphIndex(toVolumes);

/**
 * Characters an export has at least: every field it writes, and the names of the fields. Marks that are written longer than
 * they are (`"`, `&`, line ends) are not counted.
 */
export function leastExportChars(
	graph: Graph,
	{ format, table }: { readonly format: ExportFormat; readonly table: ExportTable },
): number {
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
const NAMES: Readonly<
	Record<
		Exclude<ExportFormat, "csv">,
		{ readonly node: number; readonly edge: number; readonly source: number }
	>
> = {
	okf: { node: 20, edge: 4, source: 20 },
	jsonld: { node: 300, edge: 60, source: 60 },
	ndjson: { node: 220, edge: 80, source: 60 },
	graphml: { node: 100, edge: 90, source: 0 },
};

function* toVolumes(graph: Graph): Steps<Volumes> {
	const nodes: Volume = { records: 0, chars: 0 };
	const edges: Volume = { records: 0, chars: 0 };
	const evidence: Volume = { records: 0, chars: 0 };
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
		for (let edge = map.outStart[place] ?? 0; edge < (map.outStart[place + 1] ?? 0); edge++) {
			edges.records += 1;
			edges.chars += (map.edges[edge]?.type.length ?? 0) + (map.edges[edge]?.target.length ?? 0);
		}
		yield;
	}
	return { nodes, edges, evidence, addressChars };
}

function lengthOf(texts: readonly string[]): number {
	return texts.reduce((sum, { length }) => sum + length, 0);
}
