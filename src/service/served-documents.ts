import { createHash } from "node:crypto";
import type { GraphCatalog } from "../knowledge/catalog.js";
import { buildCatalogBundle } from "../knowledge/catalog-bundle.js";
import type { Graph } from "../knowledge/graph.js";
import { toGraphSlice } from "../knowledge/graph-slice.js";
import { renderReadme, renderReadmeIndex } from "../knowledge/readme.js";
import type { ServedDocument } from "./free-operations.js";
import { createPerRevision } from "./per-revision.js";
import type { ServiceInfo } from "./service.js";

const MARKDOWN = "text/markdown; charset=utf-8";
/** Concepts of a slice: enough to see the shape, far too few to do without the search. */
const SLICE_CONCEPTS = 5;

/** The catalog's documents, each made once per revision of the catalog and base address. */
export function createServedDocuments({
	info,
	catalog,
}: {
	readonly info: ServiceInfo;
	readonly catalog: GraphCatalog;
}) {
	const versions = () => [catalog.revision, info.baseUrl(), info.mcpUrl()];
	const readmes = createPerRevision(versions, (id) => {
		const addresses = { baseUrl: info.baseUrl(), mcpUrl: info.mcpUrl() };
		return toDocument(MARKDOWN, renderReadme(catalog.get(id), addresses));
	});
	const slices = createPerRevision(versions, (id) => {
		const options = { baseUrl: info.baseUrl(), limit: SLICE_CONCEPTS };
		const slice = toGraphSlice(catalog.get(id), options);
		return toDocument("application/ld+json", JSON.stringify(slice, undefined, 2));
	});
	const indexes = createPerRevision(versions, () =>
		toDocument(MARKDOWN, renderReadmeIndex(catalog.list())),
	);
	const bundles = createPerRevision(versions, () =>
		toDocument("application/zip", buildCatalogBundle(catalog.list(), { baseUrl: info.baseUrl() })),
	);
	return {
		readme: (graph: Graph) => readmes(graph.record.id),
		slice: (graph: Graph) => slices(graph.record.id),
		readmesIndex: () => indexes("index"),
		catalogOkf: () => bundles("catalog"),
	};
}

function toDocument(mediaType: string, body: string | Uint8Array): ServedDocument {
	return { mediaType, body, hash: createHash("sha256").update(body).digest("hex") };
}
