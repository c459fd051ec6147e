import type { Json, ServiceInfo } from "../contract/contract.js";
import { toDocument } from "../http/http.js";
import { createPerRevision, ServiceError } from "../kernel/kernel.js";
import { type GraphCatalog, OKF_VERSION, toCatalogDataset } from "../knowledge/knowledge.js";
import type { IndexStatus } from "../search/search.js";
import { INTERFACE_CHANGES, INTERFACE_VERSION, toErrorGuide } from "./interface-guide.js";

export type Discovery = ReturnType<typeof createDiscovery>;

/** How a caller finds out what this is, in which version, and what its errors mean. */
export function createDiscovery({
	info,
	catalog,
	search,
	health,
}: {
	readonly info: ServiceInfo;
	readonly catalog: GraphCatalog;
	readonly search: { status(): IndexStatus };
	readonly health: () => Promise<Json>;
}) {
	const version = {
		software: info.version,
		interface: INTERFACE_VERSION,
		openapi: "3.1.0",
		okf: OKF_VERSION,
		a2a: ["1.0", "0.3"],
		x402: [2, 1],
		deprecations: [],
	};
	const errors = toErrorGuide();
	const changelog = { items: INTERFACE_CHANGES };
	const datasets = createPerRevision(
		() => [catalog.revision, info.baseUrl()],
		() => {
			const options = { baseUrl: info.baseUrl(), name: "tollgraph" };
			const dataset = toCatalogDataset(catalog.list(), options);
			return toDocument("application/ld+json", JSON.stringify(dataset, undefined, 2));
		},
	);
	return {
		/** Throws UNAVAILABLE while a paid call could not be answered. */
		async ready() {
			const { status } = await health();
			if (status === "unavailable") {
				throw new ServiceError(
					"UNAVAILABLE",
					"Nothing is sold at the moment; GET /v1/health says which part is not well.",
				);
			}
			const { mode, concepts, pendingVectors } = search.status();
			return {
				ready: true,
				graphs: catalog.list().length,
				search: { mode, concepts, pending_vectors: pendingVectors },
			};
		},
		version: () => version,
		errors: () => errors,
		changelog: () => changelog,
		/** The catalog as schema.org and DCAT linked data. */
		catalogDataset: () => datasets("catalog"),
	};
}
