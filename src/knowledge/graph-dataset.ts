import type { Graph } from "./graph.js";
import { JSON_LD_CONTEXT, type JsonLd } from "./json-ld.js";

const DATASET_TYPES = ["schema:Dataset", "dcat:Dataset"] as const;

/** What a graph is, without a context: schema.org and DCAT of its record, nothing of its content. */
export function toDataset(
	{ record, concepts }: Graph,
	{ baseUrl }: { readonly baseUrl: string },
): JsonLd {
	const home = `${baseUrl}/v1/graphs/${record.id}`;
	return {
		"@id": home,
		"@type": DATASET_TYPES,
		identifier: record.id,
		name: record.title,
		...(record.description === "" ? {} : { description: record.description }),
		additionalType: record.type,
		version: record.version,
		dateModified: record.updated,
		modified: record.updated,
		keywords: record.topics,
		theme: record.topics,
		size: `${concepts.length} concepts`,
		isAccessibleForFree: false,
		...(record.curator
			? { creator: { "@type": "schema:Organization", name: record.curator.name } }
			: {}),
		url: home,
		landingPage: home,
		distribution: [
			{
				"@type": ["schema:DataDownload", "dcat:Distribution"],
				name: "Search, paid per call",
				accessURL: `${home}/search`,
			},
		],
	};
}

/** Every graph on sale as one catalog of data sets, for engines that read schema.org or DCAT. */
export function toCatalogDataset(
	graphs: readonly Graph[],
	{ baseUrl, name }: { readonly baseUrl: string; readonly name: string },
): JsonLd {
	const home = `${baseUrl}/v1/graphs/catalog`;
	const datasets = graphs.map((graph) => toDataset(graph, { baseUrl }));
	return {
		"@context": JSON_LD_CONTEXT,
		"@id": home,
		"@type": ["schema:DataCatalog", "dcat:Catalog"],
		name,
		description: "Curated knowledge graphs, sold call by call.",
		url: home,
		dataset: datasets,
		catalogued: datasets.map((dataset) => dataset["@id"]),
	};
}
