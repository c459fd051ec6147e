import { type Concept, type Edge, type Evidence, type Graph, toTrendId } from "../model/graph.js";
import { writtenDate } from "../model/source-entry.js";

export type JsonLd = Readonly<Record<string, unknown>>;

/** Written out, so that expanding a slice needs no network. */
export const JSON_LD_CONTEXT = {
	schema: "https://schema.org/",
	dcat: "http://www.w3.org/ns/dcat#",
	dcterms: "http://purl.org/dc/terms/",
	prov: "http://www.w3.org/ns/prov#",
	xsd: "http://www.w3.org/2001/XMLSchema#",
	name: "schema:name",
	description: "schema:description",
	identifier: "schema:identifier",
	version: "schema:version",
	dateModified: "schema:dateModified",
	datePublished: "schema:datePublished",
	keywords: { "@id": "schema:keywords", "@container": "@set" },
	theme: { "@id": "dcat:keyword", "@container": "@set" },
	modified: { "@id": "dcterms:modified", "@type": "xsd:date" },
	isAccessibleForFree: { "@id": "schema:isAccessibleForFree", "@type": "xsd:boolean" },
	creator: "schema:creator",
	additionalType: "schema:additionalType",
	termCode: "schema:termCode",
	url: { "@id": "schema:url", "@type": "@id" },
	inDefinedTermSet: { "@id": "schema:inDefinedTermSet", "@type": "@id" },
	hasDefinedTerm: { "@id": "schema:hasDefinedTerm", "@container": "@set" },
	citation: { "@id": "schema:citation", "@container": "@set" },
	wasDerivedFrom: { "@id": "prov:wasDerivedFrom", "@type": "@id", "@container": "@set" },
	mentions: { "@id": "schema:mentions", "@type": "@id", "@container": "@set" },
	distribution: { "@id": "dcat:distribution", "@container": "@set" },
	accessURL: { "@id": "dcat:accessURL", "@type": "@id" },
	landingPage: { "@id": "dcat:landingPage", "@type": "@id" },
	size: "schema:size",
	dataset: { "@id": "schema:dataset", "@container": "@set" },
	catalogued: { "@id": "dcat:dataset", "@type": "@id", "@container": "@set" },
} as const;

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

const SLICE_CONCEPTS_MAX = 5;
const SOURCES_PER_CONCEPT = 2;

/**
 * A free sample as JSON-LD: record, best connected concepts, first sources; never bodies or full
 * source lists.
 */
export function toGraphSlice(
	graph: Graph,
	{ baseUrl, limit = SLICE_CONCEPTS_MAX }: { readonly baseUrl: string; readonly limit?: number },
): JsonLd {
	const { record } = graph;
	const home = `${baseUrl}/v1/graphs/${record.id}`;
	const sample = chooseSample(graph, Math.max(0, Math.min(limit, SLICE_CONCEPTS_MAX)));
	const sampled = new Set(sample.map(({ id }) => id));
	return {
		"@context": JSON_LD_CONTEXT,
		...toDataset(graph, { baseUrl }),
		"@type": ["schema:Dataset", "schema:DefinedTermSet", "dcat:Dataset"],
		size: `${graph.concepts.length} concepts, of which this slice shows ${sample.length}`,
		hasDefinedTerm: sample.map((concept) => toTerm(concept, { graph, home, sampled })),
	};
}

type Candidate = { readonly concept: Concept; readonly degree: number };

/** The concepts most others lead to or from; ties are broken by id. Only such that show what evidence looks like. */
function chooseSample({ concepts }: Graph, count: number): readonly Concept[] {
	const inbound = new Map<string, number>();
	for (const { edges } of concepts) {
		for (const { target } of edges) inbound.set(target, (inbound.get(target) ?? 0) + 1);
	}
	const compare = (a: Candidate, b: Candidate) =>
		b.degree - a.degree || (a.concept.id < b.concept.id ? -1 : 1);
	const chosen: Candidate[] = [];
	for (const concept of concepts) {
		if (concept.evidence.length === 0 || concept.status === "deprecated") continue;
		const candidate = { concept, degree: concept.edges.length + (inbound.get(concept.id) ?? 0) };
		const last = chosen[count - 1];
		if (last && compare(candidate, last) > 0) continue;
		// A graph may have a hundred thousand concepts: only the few that may be shown are ever sorted.
		chosen.push(candidate);
		chosen.sort(compare).splice(count);
	}
	return chosen.map(({ concept }) => concept);
}

function toTerm(
	concept: Concept,
	{ graph, home, sampled }: { graph: Graph; home: string; sampled: ReadonlySet<string> },
): JsonLd {
	const sources = concept.evidence.slice(0, SOURCES_PER_CONCEPT);
	const neighbors = concept.edges.filter((edge: Edge) => sampled.has(edge.target));
	return {
		"@id": toNodeAddress(home, concept.id),
		"@type": ["schema:DefinedTerm", "prov:Entity"],
		termCode: toTrendId(graph.record.id, concept.id),
		name: concept.title,
		description: concept.summary,
		additionalType: concept.type,
		inDefinedTermSet: home,
		...(neighbors.length === 0
			? {}
			: { mentions: neighbors.map(({ target }) => toNodeAddress(home, target)) }),
		citation: sources.map(toArticle),
		wasDerivedFrom: sources.map(({ sourceUrl }) => sourceUrl),
	};
}

export function toArticle(evidence: Evidence): JsonLd {
	const date = writtenDate(evidence);
	return {
		"@id": evidence.sourceUrl,
		"@type": "schema:Article",
		name: evidence.title,
		url: evidence.sourceUrl,
		...(date === undefined ? {} : { datePublished: date }),
	};
}

/** Names a concept below the address of its graph. */
export function toNodeAddress(home: string, conceptId: string): string {
	return `${home}#${encodeURIComponent(conceptId)}`;
}
