import type { Graph } from "../model/graph.js";
import type { JsonLd } from "./json-ld.js";

/** Where a card and what it names are found, beside the graph itself. */
const VERSION = "http://mlcommons.org/croissant/1.0";

/** As the specification has it (https://docs.mlcommons.org/croissant/docs/croissant-spec.html). */
const CONTEXT = {
	"@language": "en",
	"@vocab": "https://schema.org/",
	citeAs: "cr:citeAs",
	column: "cr:column",
	conformsTo: "dct:conformsTo",
	cr: "http://mlcommons.org/croissant/",
	data: { "@id": "cr:data", "@type": "@json" },
	dataType: { "@id": "cr:dataType", "@type": "@vocab" },
	dct: "http://purl.org/dc/terms/",
	examples: { "@id": "cr:examples", "@type": "@json" },
	extract: "cr:extract",
	field: "cr:field",
	fileObject: "cr:fileObject",
	fileProperty: "cr:fileProperty",
	fileSet: "cr:fileSet",
	format: "cr:format",
	includes: "cr:includes",
	isLiveDataset: "cr:isLiveDataset",
	jsonPath: "cr:jsonPath",
	key: "cr:key",
	md5: "cr:md5",
	parentField: "cr:parentField",
	path: "cr:path",
	rai: "http://mlcommons.org/croissant/RAI/",
	recordSet: "cr:recordSet",
	references: "cr:references",
	regex: "cr:regex",
	repeated: "cr:repeated",
	replace: "cr:replace",
	sc: "https://schema.org/",
	separator: "cr:separator",
	source: "cr:source",
	subField: "cr:subField",
	transform: "cr:transform",
} as const;

/** Pages of the graph's lists, which are sold; a page more for each `next_cursor`. */
const LISTS = [
	{
		name: "nodes",
		fields: {
			node_id: "Id of the node within its graph",
			title: "Title of the node",
			type: "Type of the node",
			summary: "What it is, in a sentence or two",
			trust_tier: "Who checked it: human-reviewed, machine-confirmed or unverified",
		},
	},
	{
		name: "edges",
		fields: {
			source: "Id of the node that the edge leads from",
			type: "Type of the edge",
			target: "Id of the node that it leads to",
		},
	},
] as const;

/**
 * A graph as a data set card by MLCommons Croissant 1.0: its record, and what its lists of nodes and edges hold, of which the first pages
 * are named. Nothing of its content.
 */
export function toCroissant({ record }: Graph, { baseUrl }: { readonly baseUrl: string }): JsonLd {
	const home = `${baseUrl}/v1/graphs/${record.id}`;
	const curator = record.curator?.name;
	return {
		"@context": CONTEXT,
		"@type": "sc:Dataset",
		"@id": home,
		name: record.title,
		description: record.description || `The knowledge graph "${record.title}".`,
		conformsTo: VERSION,
		url: home,
		version: record.version,
		datePublished: record.updated,
		dateModified: record.updated,
		keywords: record.topics,
		inLanguage: "en",
		isLiveDataset: true,
		isAccessibleForFree: false,
		...(curator && { creator: { "@type": "sc:Organization", name: curator } }),
		// What may be done with it, and what it costs.
		usageInfo: `${home}/readme`,
		distribution: LISTS.map(({ name }) => ({
			"@type": "cr:FileObject",
			"@id": `${name}.json`,
			name: `${name}.json`,
			description: `A page of ${name}, paid per call: without a payment the answer is 402 and says how to pay.`,
			contentUrl: `${home}/${name}`,
			encodingFormat: "application/json",
		})),
		recordSet: LISTS.map(({ name, fields }) => ({
			"@type": "cr:RecordSet",
			"@id": name,
			name,
			...(name === "nodes" && { key: { "@id": "nodes/node_id" } }),
			field: Object.entries(fields).map(([field, description]) =>
				toField(name, field, description),
			),
		})),
	};
}

function toField(list: string, field: string, description: string): JsonLd {
	const isNode = list === "edges" && (field === "source" || field === "target");
	return {
		"@type": "cr:Field",
		"@id": `${list}/${field}`,
		name: field,
		description,
		dataType: "sc:Text",
		...(isNode && { references: { field: { "@id": "nodes/node_id" } } }),
		source: {
			fileObject: { "@id": `${list}.json` },
			extract: { jsonPath: `$.data.items[*].${field}` },
		},
	};
}
