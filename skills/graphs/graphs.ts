export type { RunBounded } from "./export-cache.js";
export { countCoverage, coverageOf } from "./graph-coverage.js";
export {
	type GraphPageRequest,
	pageOfGraphs,
	toCatalogItem,
	toGraphDetail,
} from "./graph-listing.js";
export { createGraphOverviews } from "./graph-overviews.js";
export { answerIf, toNodeItem } from "./graph-reading.js";
export {
	conceptConditions,
	nodeItemSchema,
	nodeSchema,
	pageFields,
	trendIdField,
} from "./graph-wire.js";
export { toPage } from "./list-page.js";
export { toNode } from "./nodes.operations.js";
export { createGraphIndex, graphMaps, placeOf } from "./reading/graph-map.js";
export { findNeighbors } from "./reading/neighborhood.js";
export { createWalk, toStep } from "./reading/walk.js";
