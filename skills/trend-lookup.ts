import { ServiceError } from "../src/core/errors.js";
import { findNearNames } from "../src/evidence/near-names.js";
import type { GraphCatalog } from "../src/knowledge/catalog.js";
import { type Concept, type Graph, toTrendId } from "../src/knowledge/graph.js";
import { graphMaps } from "../src/knowledge/reading/graph-map.js";

export interface KnownTrend {
	readonly graph: Graph;
	readonly concept: Concept;
}

/** The node behind a trend_id, its graph's map made. Throws NOT_FOUND, with near names. */
export async function getTrend(catalog: GraphCatalog, trendId: string): Promise<KnownTrend> {
	const colon = trendId.indexOf(":");
	const [graphId, nodeId] = [trendId.slice(0, colon), trendId.slice(colon + 1)];
	const graph = catalog.get(graphId);
	const { places, concepts } = await graphMaps.ready(graph);
	const concept = concepts[places.get(nodeId) ?? -1];
	if (concept) return { graph, concept };
	const near = await findNearNames(nodeId, places.keys());
	const names = near.map((id) => toTrendId(graphId, id)).join(", ");
	throw new ServiceError(
		"NOT_FOUND",
		`No trend is called "${trendId.slice(0, 200)}"; ${names === "" ? `GET /v1/graphs/${graphId}/nodes lists what the graph has` : `near it ${names}`}.`,
	);
}
