import { ServiceError } from "../kernel/kernel.js";
import type { Graph } from "../knowledge/knowledge.js";
import type { Service } from "../service/service.js";
import type { GraphContent } from "./pages/graph.js";
import { hostOf } from "./pages/parts.js";

/** What several pages of a graph show for nothing. */

export interface GraphOverview {
	readonly preview: GraphContent["preview"];
	readonly hosts: GraphContent["hosts"];
}

/** A graph that is not indexed yet, or too many previews at once, leave the page without its free rows. */
export async function previewOf(
	{ free }: Pick<Service, "free">,
	id: string,
): Promise<GraphContent["preview"]> {
	try {
		return (await free.graphPreview(id)) as unknown as GraphContent["preview"];
	} catch (error) {
		if (error instanceof ServiceError && error.retryable) return "indexing";
		throw error;
	}
}

/** How many documents each host of a graph's sources has, the most first. */
export function hostsOf(graph: Graph): GraphContent["hosts"] {
	const addresses = new Set(
		graph.concepts.flatMap(({ evidence }) => evidence.map(({ sourceUrl }) => sourceUrl)),
	);
	const counts = new Map<string, number>();
	for (const address of addresses) {
		const host = hostOf(address);
		counts.set(host, (counts.get(host) ?? 0) + 1);
	}
	return [...counts]
		.map(([host, documents]) => ({ host, documents }))
		.sort((one, other) => other.documents - one.documents || (one.host < other.host ? -1 : 1));
}
