import type { Clock } from "../../src/kernel/kernel.js";
import type { HybridSearch } from "../../src/search/search.js";
import type { RunBounded } from "./export-cache.js";
import { createGraphChanges } from "./graph-changes.js";
import { createContextPack } from "./graph-context.js";
import { createGraphExport } from "./graph-export.js";
import { createEdgeList, createNode, createNodeList } from "./graph-nodes.js";
import { createSimilar } from "./graph-similar.js";
import type { GraphSkillDeps } from "./graph-skill.js";
import { createTimeline } from "./graph-timeline.js";
import { createNeighbors, createPaths, createSubgraph } from "./graph-walks.js";

export interface GraphReadingDeps extends GraphSkillDeps {
	readonly search: HybridSearch;
	readonly clock: Clock;
	/** Public base address without a trailing slash. */
	readonly baseUrl: () => string;
	readonly runExport: RunBounded;
}

/** Every skill that reads one graph otherwise than by searching it. */
export function createGraphReadings(deps: GraphReadingDeps) {
	return {
		"graphs.nodes.list": createNodeList(deps),
		"graphs.node": createNode(deps),
		"graphs.neighbors": createNeighbors(deps),
		"graphs.edges": createEdgeList(deps),
		"graphs.paths": createPaths(deps),
		"graphs.subgraph": createSubgraph(deps),
		"graphs.timeline": createTimeline(deps),
		"graphs.context": createContextPack(deps),
		"graphs.similar": createSimilar(deps),
		"graphs.export": createGraphExport(deps),
		"graphs.changes": createGraphChanges(deps),
	};
}
