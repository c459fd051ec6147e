import { z } from "zod";
import type { Momentum } from "../../src/evidence/evidence.js";
import { notFound } from "../../src/kernel/kernel.js";
import { type GraphCatalog, toTrendId } from "../../src/knowledge/knowledge.js";
import { graphMaps, trendIdField } from "../graphs/graphs.js";
import type { MomentumWire } from "./trend-wire.js";

/** What all operations of trends share: which trend is meant, and how its momentum travels. */

export const TREND_TYPES = ["Trend", "Signal"];
export const TREND_EXAMPLE = "kubernetes-enhancements:trends.job-api";
const TYPE_SET: ReadonlySet<string> = new Set(TREND_TYPES.map((type) => type.toLowerCase()));

/** A trend that exists wherever one does. */
export function exampleOf(catalog: GraphCatalog): string {
	const [graphId = "", nodeId] = TREND_EXAMPLE.split(":");
	if (catalog.find(graphId)?.concepts.some(({ id }) => id === nodeId)) return TREND_EXAMPLE;
	let first: string | undefined;
	for (const { record, concepts } of catalog.list()) {
		const concept = concepts.find(({ type }) => TYPE_SET.has(type.toLowerCase()));
		if (concept) return toTrendId(record.id, concept.id);
		first ??= concepts[0] && toTrendId(record.id, concepts[0].id);
	}
	return first ?? TREND_EXAMPLE;
}

export const TREND_PARAMS = z.strictObject({ trend_id: trendIdField });

/** The node behind a trend_id, its graph's map made. Throws NOT_FOUND, which names no other node: ids are part of what is sold. */
export async function getTrend(catalog: GraphCatalog, trendId: string) {
	const graphId = graphIdOf(trendId);
	const graph = catalog.get(graphId);
	const { places, concepts } = await graphMaps.ready(graph);
	const concept = concepts[places.get(trendId.slice(graphId.length + 1)) ?? -1];
	if (concept) return { graph, concept };
	throw notFound(
		`No trend is called "${trendId.slice(0, 200)}"; POST /v1/graphs/${graphId}/search finds nodes by what they are about.`,
	);
}

export function graphIdOf(trendId: string): string {
	return trendId.slice(0, trendId.indexOf(":"));
}

export function toMomentum({ asOf, ...counts }: Momentum): MomentumWire {
	return { ...counts, as_of: asOf };
}
