import type { Graph } from "../../../src/knowledge/knowledge.js";
import type { Pieces } from "./export-pieces.js";
import { edgesOf } from "./export-tables.js";
import { mapOf } from "./graph-map.js";
import { toEdgeFields, toNodeFields } from "./node-fields.js";

const NODE_KEYS = [
	"type",
	"title",
	"summary",
	"status",
	"trust_tier",
	"tags",
	"aliases",
	"generated_at",
	"stale_after",
	"body",
] as const;
const EDGE_KEYS = ["type", "weight", "valid_from", "valid_to"] as const;

/** Characters that XML 1.0 has no way to write. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** The graph as GraphML 1.0: nodes and directed edges with typed keys; lists are joined by "|". */
export function* toGraphml(graph: Graph): Pieces {
	const head = [
		'<?xml version="1.0" encoding="UTF-8"?>',
		'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
		...NODE_KEYS.map((key) => toKey("node", key)),
		...EDGE_KEYS.map((key) => toKey("edge", key)),
		`<graph id="${escapeXml(graph.record.id)}" edgedefault="directed">`,
	];
	yield `${head.join("\n")}\n`;
	for (const concept of mapOf(graph).concepts) {
		const fields = toNodeFields(concept);
		const data = NODE_KEYS.map((key) => toData("node", key, fields[key])).join("");
		yield `<node id="${escapeXml(concept.id)}">${data}</node>\n`;
	}
	for (const step of edgesOf(graph)) {
		const { source, target, ...fields } = toEdgeFields(step);
		const data = EDGE_KEYS.map((key) => toData("edge", key, fields[key])).join("");
		const ends = `source="${escapeXml(source)}" target="${escapeXml(target)}"`;
		yield `<edge ${ends}>${data}</edge>\n`;
	}
	yield "</graph>\n</graphml>\n";
}

function toKey(kind: "node" | "edge", name: string): string {
	const type = name === "weight" ? "double" : "string";
	return `<key id="${kind}-${name}" for="${kind}" attr.name="${name}" attr.type="${type}"/>`;
}

function toData(
	kind: "node" | "edge",
	name: string,
	value: string | number | null | readonly string[],
): string {
	const text = value === null || typeof value !== "object" ? value : value.join("|");
	if (text === null || text === "") return "";
	return `<data key="${kind}-${name}">${escapeXml(String(text))}</data>`;
}

/** Line ends and tabs as references: parsers would make spaces of them in attributes. */
function escapeXml(text: string): string {
	return text
		.replace(FORBIDDEN, "\ufffd")
		.replace(/[&<>"'\t\r]/g, (char) => `&#${char.charCodeAt(0)};`)
		.replaceAll("\n", "&#10;");
}
