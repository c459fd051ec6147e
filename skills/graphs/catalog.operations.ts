import { z } from "zod";
import {
	cursorField,
	dataOperation,
	digitsField,
	documentOperation,
	graphIdField,
	type Services,
} from "../../src/contract/contract.js";
import { graphDetailSchema, graphListSchema, graphParams } from "./catalog-wire.js";

const PAGE_MAX = 500;

/** Every graph on sale. Spec: Endpoints, free operations. */
export const graphCatalog = dataOperation({
	id: "graphs.catalog",
	at: "GET /v1/graphs/catalog",
	summary: "Catalog of graphs",
	description:
		"Every graph on sale, in the order of its id; a page of them where a limit is given.",
	query: z.strictObject({
		limit: digitsField(PAGE_MAX).optional().describe("Graphs on a page; all without it"),
		cursor: cursorField.optional(),
	}),
	isList: true,
	freshness: "catalog",
	data: graphListSchema,
	answer: ({ graphsCatalog }: Pick<Services, "graphsCatalog">, { query }) => graphsCatalog(query),
});

/** One graph and how far it can be trusted. Spec: Endpoints, free operations. */
export const graphDetail = dataOperation({
	id: "graphs.detail",
	at: "GET /v1/graphs/{graph_id_or_slug}",
	summary: "One graph",
	description: "A graph's record with its example questions, curator, trust and freshness.",
	params: graphParams,
	freshness: "catalog",
	data: graphDetailSchema,
	answer: ({ graphDetail }: Pick<Services, "graphDetail">, { params }) =>
		graphDetail(params.graph_id_or_slug),
	example: { params: { graph_id_or_slug: "agent-payments" } },
});

/** What a graph is about, for people. Spec: Endpoints, free operations. */
export const graphReadme = documentOperation({
	id: "graphs.readme",
	at: "GET /v1/graphs/{graph_id_or_slug}/readme",
	summary: "Readme of a graph",
	description: "Markdown with front matter and six sections in a fixed order.",
	params: graphParams,
	mediaType: "text/markdown; charset=utf-8",
	answer: ({ graphReadme }: Pick<Services, "graphReadme">, { params }) =>
		graphReadme(params.graph_id_or_slug),
	example: {
		params: { graph_id_or_slug: "agent-payments" },
		document: "---\nid: agent-payments\n---\n\n## What This Is\n",
	},
});

/** The catalog as one file. Spec: Endpoints, free operations. */
export const catalogBundle = documentOperation({
	id: "catalog.okf",
	at: "GET /v1/catalog.okf",
	summary: "Catalog as an Open Knowledge Format bundle",
	description: "A zip of one bundle: the record and readme of every graph.",
	mediaType: "application/zip",
	fileName: "catalog.okf.zip",
	answer: ({ catalogOkf }: Pick<Services, "catalogOkf">) => catalogOkf(),
});

/** Where the readmes are. Spec: Endpoints, free operations. */
export const readmeIndex = documentOperation({
	id: "readmes.index",
	at: "GET /v1/readmes/index.md",
	summary: "Directory of readmes",
	description: "Markdown list of every graph's readme.",
	mediaType: "text/markdown; charset=utf-8",
	answer: ({ readmesIndex }: Pick<Services, "readmesIndex">) => readmesIndex(),
	example: { document: "# Readmes\n" },
});

/** A few concepts of a graph. Spec: Endpoints, free operations. */
export const graphSlice = documentOperation({
	id: "graph_slice",
	at: "GET /v1/graph-slice",
	summary: "Sample of a graph as linked data",
	description: "A JSON-LD slice of a few concepts: what a graph looks like before anybody pays.",
	query: z.strictObject({ graph_id: graphIdField }),
	mediaType: "application/ld+json",
	answer: ({ graphSlice }: Pick<Services, "graphSlice">, { query }) => graphSlice(query.graph_id),
	example: {
		query: { graph_id: "agent-payments" },
		document: { "@type": "Dataset", identifier: "agent-payments" },
	},
});

/** A graph as machine learning tools describe data sets. Additive to the contract. */
export const graphCroissant = documentOperation({
	id: "graphs.croissant",
	at: "GET /v1/graphs/{graph_id_or_slug}/croissant.jsonld",
	summary: "Data set card of a graph",
	description:
		"The graph as MLCommons Croissant 1.0: its record, where its lists of nodes and edges are sold, and what their fields mean.",
	params: graphParams,
	mediaType: "application/ld+json",
	answer: ({ graphCroissant }: Pick<Services, "graphCroissant">, { params }) =>
		graphCroissant(params.graph_id_or_slug),
	example: {
		params: { graph_id_or_slug: "agent-payments" },
		document: { "@type": "sc:Dataset", conformsTo: "http://mlcommons.org/croissant/1.0" },
	},
});

/** The catalog as linked data. Additive to the contract. */
export const catalogDataset = documentOperation({
	id: "catalog.jsonld",
	at: "GET /v1/catalog.jsonld",
	summary: "Catalog as linked data",
	description: "Every graph on sale as schema.org DataCatalog and DCAT catalog.",
	mediaType: "application/ld+json",
	answer: ({ discovery }: Pick<Services, "discovery">) => discovery.catalogDataset(),
	example: { document: { "@type": "DataCatalog", name: "tollgraph" } },
});
