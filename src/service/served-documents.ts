import type { PriceList, ServiceInfo } from "../contract/contract.js";
import { toDocument } from "../http/http.js";
import { createPerRevision, formatUsd } from "../kernel/kernel.js";
import {
	buildCatalogBundle,
	type Graph,
	type GraphCatalog,
	renderReadme,
	renderReadmeIndex,
	toCroissant,
	toGraphSlice,
} from "../knowledge/knowledge.js";

const MARKDOWN = "text/markdown; charset=utf-8";

/** The catalog's documents, each memoized per revision of the catalog and base address. */
export function createServedDocuments({
	info,
	catalog,
	prices,
}: {
	readonly info: ServiceInfo;
	readonly catalog: GraphCatalog;
	readonly prices: PriceList;
}) {
	const addresses = () => ({ baseUrl: info.baseUrl(), mcpUrl: info.mcpUrl() });
	const versions = () => [catalog.revision, info.baseUrl(), info.mcpUrl()];
	const readmes = createPerRevision(versions, (id) => {
		const { amountMicros } = prices.priceOf("graphs.search", { graphId: id });
		const options = { ...addresses(), searchPriceUsd: formatUsd(amountMicros) };
		return toDocument(MARKDOWN, renderReadme(catalog.get(id), options));
	});
	const slices = createPerRevision(versions, (id) => {
		const slice = toGraphSlice(catalog.get(id), { baseUrl: info.baseUrl() });
		return toDocument("application/ld+json", JSON.stringify(slice, undefined, 2));
	});
	const cards = createPerRevision(versions, (id) => {
		const card = toCroissant(catalog.get(id), { baseUrl: info.baseUrl() });
		return toDocument("application/ld+json", JSON.stringify(card, undefined, 2));
	});
	const indexes = createPerRevision(versions, () =>
		toDocument(MARKDOWN, renderReadmeIndex(catalog.list())),
	);
	const bundles = createPerRevision(versions, () =>
		toDocument("application/zip", buildCatalogBundle(catalog.list(), addresses())),
	);
	return {
		readme: (graph: Graph) => readmes(graph.record.id),
		slice: (graph: Graph) => slices(graph.record.id),
		croissant: (graph: Graph) => cards(graph.record.id),
		readmesIndex: () => indexes("index"),
		catalogOkf: () => bundles("catalog"),
	};
}
