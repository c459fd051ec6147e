import { sourceKindOf } from "../../../src/evidence/evidence.js";
import { toCsv } from "../../../src/kernel/kernel.js";
import {
	type Concept,
	type Edge,
	type Evidence,
	type Graph,
	JSON_LD_CONTEXT,
	toArticle,
	toDataset,
	toNodeAddress,
	toTrendId,
	writtenDate,
} from "../../../src/knowledge/knowledge.js";
import type { EXPORT_TABLES } from "../graph-feed-wire.js";
import { edgesOutOf, mapOf } from "./graph-map.js";
import { type Step, toStep } from "./walk.js";

/** A file, piece by piece, as it is written; undefined where there is nothing yet. */
export type Pieces = Generator<string | Uint8Array | undefined, void>;

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

function* edgesOf(graph: Graph): Generator<Step> {
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

/** Nodes, edges and sources as flat fields, named as they travel: what tables and graph files are made of. */

function toNodeFields(concept: Concept) {
	return {
		node_id: concept.id,
		type: concept.type,
		title: concept.title,
		summary: concept.summary,
		status: concept.status,
		trust_tier: concept.trust,
		tags: concept.tags,
		aliases: concept.aliases,
		generated_by: concept.generatedBy ?? null,
		generated_at: concept.generatedAt ?? null,
		stale_after: concept.staleAfter ?? null,
		evidence_count: concept.evidence.length,
		body: concept.body,
	};
}

function toEdgeFields({ from, to, edge }: Step) {
	return {
		source: from.id,
		type: edge.type,
		target: to.id,
		weight: edge.weight,
		valid_from: edge.validFrom ?? null,
		valid_to: edge.validTo ?? null,
	};
}

function toSourceFields(evidence: Evidence) {
	return {
		article_id: evidence.articleId,
		title: evidence.title,
		source_url: evidence.sourceUrl,
		published_at: writtenDate(evidence) ?? null,
		source_kind: sourceKindOf(evidence) ?? null,
	};
}

const CONTEXT = {
	...JSON_LD_CONTEXT,
	text: "schema:text",
	alternateName: { "@id": "schema:alternateName", "@container": "@set" },
	roleName: "schema:roleName",
	startDate: "schema:startDate",
	endDate: "schema:endDate",
	weight: "schema:value",
	relatedTo: { "@id": "schema:mentions", "@container": "@set" },
	expires: { "@id": "schema:expires", "@type": "xsd:date" },
	dateCreated: { "@id": "schema:dateCreated", "@type": "xsd:date" },
	creativeWorkStatus: "schema:creativeWorkStatus",
} as const;

/** The whole graph as JSON-LD that expands without a network; a typed edge is a schema.org Role. */
export function* toJsonLdDocument(graph: Graph, options: { readonly baseUrl: string }): Pieces {
	const dataset = toDataset(graph, options);
	const home = String(dataset["@id"]);
	const types = [...[dataset["@type"]].flat(), "schema:DefinedTermSet"];
	const about = JSON.stringify({ "@context": CONTEXT, ...dataset, "@type": types });
	yield `${about.slice(0, -1)},"hasDefinedTerm":[\n`;
	const map = mapOf(graph);
	for (const [place, concept] of map.concepts.entries()) {
		const edges = edgesOutOf(map, place);
		const term = JSON.stringify(toTerm({ ...concept, edges }, { graph, home }));
		yield place === 0 ? term : `,\n${term}`;
	}
	yield "\n]}\n";
}

function toTerm(
	concept: Concept,
	{ graph, home }: { readonly graph: Graph; readonly home: string },
): object {
	return {
		"@id": toNodeAddress(home, concept.id),
		"@type": ["schema:DefinedTerm", "prov:Entity"],
		termCode: toTrendId(graph.record.id, concept.id),
		name: concept.title,
		description: concept.summary,
		text: concept.body,
		additionalType: concept.type,
		alternateName: concept.aliases,
		keywords: concept.tags,
		creativeWorkStatus: concept.status,
		...(concept.generatedAt ? { dateCreated: concept.generatedAt } : {}),
		...(concept.staleAfter ? { expires: concept.staleAfter } : {}),
		inDefinedTermSet: home,
		relatedTo: concept.edges.map((edge) => toRole(edge, home)),
		citation: concept.evidence.map(toArticle),
		wasDerivedFrom: concept.evidence.map(({ sourceUrl }) => sourceUrl),
	};
}

function toRole(edge: Edge, home: string): object {
	return {
		"@type": "schema:Role",
		roleName: edge.type,
		mentions: toNodeAddress(home, edge.target),
		weight: edge.weight,
		...(edge.validFrom ? { startDate: edge.validFrom } : {}),
		...(edge.validTo ? { endDate: edge.validTo } : {}),
	};
}

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

function toData(kind: "node" | "edge", name: string, value: Fields[string]): string {
	const text = toCell(value);
	return text === "" ? "" : `<data key="${kind}-${name}">${escapeXml(text)}</data>`;
}

/** Line ends and tabs as references: parsers would make spaces of them in attributes. */
function escapeXml(text: string): string {
	return text
		.replace(FORBIDDEN, "\ufffd")
		.replace(/[&<>"'\t\r]/g, (char) => `&#${char.charCodeAt(0)};`)
		.replaceAll("\n", "&#10;");
}
