import { ServiceError } from "../../src/kernel/kernel.js";
import type { Concept, Graph, GraphCatalog } from "../../src/knowledge/knowledge.js";
import { graphMaps } from "../graphs/graphs.js";

export interface KnownTrend {
	readonly graph: Graph;
	readonly concept: Concept;
}

/** The node behind a trend_id, its graph's map made. Throws NOT_FOUND, which names no other node: ids are part of what is sold. */
export async function getTrend(catalog: GraphCatalog, trendId: string): Promise<KnownTrend> {
	const colon = trendId.indexOf(":");
	const [graphId, nodeId] = [trendId.slice(0, colon), trendId.slice(colon + 1)];
	const graph = catalog.get(graphId);
	const { places, concepts } = await graphMaps.ready(graph);
	const concept = concepts[places.get(nodeId) ?? -1];
	if (concept) return { graph, concept };
	throw new ServiceError(
		"NOT_FOUND",
		`No trend is called "${trendId.slice(0, 200)}"; POST /v1/graphs/${graphId}/search finds nodes by what they are about.`,
	);
}
