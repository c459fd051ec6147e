import {
	type Concept,
	type Edge,
	type Graph,
	JSON_LD_CONTEXT,
	toArticle,
	toDataset,
	toNodeAddress,
	toTrendId,
} from "../../../src/knowledge/knowledge.js";
import type { Pieces } from "./export-pieces.js";
import { mapOf } from "./graph-map.js";

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

/**
 * The whole graph as JSON-LD that expands without a network, in the words of the free slice. A typed edge is a schema.org
 * Role between two terms.
 */
export function* toJsonLdDocument(graph: Graph, options: { readonly baseUrl: string }): Pieces {
	const dataset = toDataset(graph, options);
	const home = String(dataset["@id"]);
	const types = [...[dataset["@type"]].flat(), "schema:DefinedTermSet"];
	const about = JSON.stringify({ "@context": CONTEXT, ...dataset, "@type": types });
	yield `${about.slice(0, -1)},"hasDefinedTerm":[\n`;
	const map = mapOf(graph);
	for (const [place, concept] of map.concepts.entries()) {
		const edges = map.edges.slice(map.outStart[place], map.outStart[place + 1]);
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
