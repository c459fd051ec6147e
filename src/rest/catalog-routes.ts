import { z } from "zod";
import {
	cursorField,
	digitsField,
	type FreeOperationId,
	graphIdField,
} from "../contract/contract.js";
import { graphDetailSchema, graphListSchema, graphPath } from "./catalog-schemas.js";
import { dataRoute, documentRoute } from "./define-route.js";
import type { DataRoute, DocumentRoute } from "./route.js";

type CatalogOperationId = Extract<
	FreeOperationId,
	| "graphs.catalog"
	| "graphs.detail"
	| "graphs.readme"
	| "catalog.okf"
	| "readmes.index"
	| "graph_slice"
>;

const PAGE_MAX = 500;

const nothing = z.strictObject({});

const graphItem = {
	id: "agent-payments",
	slug: "agent-payments",
	title: "Agent payments",
	type: "domain",
	version: "1.0.0",
	updated: "2026-01-31",
	description: "How software agents pay for what they use.",
	topics: ["payments", "agents"],
	nodes: 24,
	evidence: 57,
	price_usd: "0.50",
	links: { self: "https://example.org/v1/graphs/agent-payments" },
};

/** The catalog of graphs, its documents and the roster of experts. Spec: Endpoints, free operations. */
export const CATALOG_ROUTES: Readonly<Record<CatalogOperationId, DataRoute | DocumentRoute>> = {
	"graphs.catalog": dataRoute({
		operationId: "graphs.catalog",
		summary: "Catalog of graphs",
		description:
			"Every graph on sale, in the order of its id; a page of them where a limit is given.",
		path: nothing,
		query: z.strictObject({
			limit: digitsField(PAGE_MAX).optional().describe("Graphs on a page; all without it"),
			cursor: cursorField.optional(),
		}),
		isList: true,
		freshness: "catalog",
		data: graphListSchema,
		answer: (free, { query }) => free.graphsCatalog(query),
		example: { data: { items: [graphItem] } },
	}),
	"graphs.detail": dataRoute({
		operationId: "graphs.detail",
		summary: "One graph",
		description: "A graph's record with its example questions, curator, trust and freshness.",
		path: graphPath,
		query: nothing,
		isList: false,
		freshness: "catalog",
		data: graphDetailSchema,
		answer: (free, { path }) => free.graphDetail(path.graph_id_or_slug),
		example: {
			path: { graph_id_or_slug: "agent-payments" },
			data: {
				...graphItem,
				example_queries: ["Who settles an x402 payment?"],
				curator: { name: "Sample catalog", note: "Written from public standards." },
				trust: { "human-reviewed": 0, "machine-confirmed": 20, unverified: 4 },
				freshness: {
					updated: "2026-01-31",
					newest_evidence: "2025-12-11",
					oldest_evidence: "2015-11-19",
					stale_nodes: 0,
				},
			},
		},
	}),
	"graphs.readme": documentRoute({
		operationId: "graphs.readme",
		summary: "Readme of a graph",
		description: "Markdown with front matter and six sections in a fixed order.",
		path: graphPath,
		query: nothing,
		mediaType: "text/markdown; charset=utf-8",
		answer: (free, { path }) => free.graphReadme(path.graph_id_or_slug),
		example: {
			path: { graph_id_or_slug: "agent-payments" },
			document: "---\nid: agent-payments\n---\n\n## What This Is\n",
		},
	}),
	"catalog.okf": documentRoute({
		operationId: "catalog.okf",
		summary: "Catalog as an Open Knowledge Format bundle",
		description: "A zip of one bundle: the record and readme of every graph.",
		path: nothing,
		query: nothing,
		mediaType: "application/zip",
		fileName: "catalog.okf.zip",
		answer: (free) => free.catalogOkf(),
		example: {},
	}),
	"readmes.index": documentRoute({
		operationId: "readmes.index",
		summary: "Directory of readmes",
		description: "Markdown list of every graph's readme.",
		path: nothing,
		query: nothing,
		mediaType: "text/markdown; charset=utf-8",
		answer: (free) => free.readmesIndex(),
		example: { document: "# Readmes\n" },
	}),
	graph_slice: documentRoute({
		operationId: "graph_slice",
		summary: "Sample of a graph as linked data",
		description: "A JSON-LD slice of a few concepts: what a graph looks like before anybody pays.",
		path: nothing,
		query: z.strictObject({ graph_id: graphIdField }),
		mediaType: "application/ld+json",
		answer: (free, { query }) => free.graphSlice(query.graph_id),
		example: {
			query: { graph_id: "agent-payments" },
			document: { "@type": "Dataset", identifier: "agent-payments" },
		},
	}),
};
