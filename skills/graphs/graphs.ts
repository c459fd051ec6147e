export type { RunBounded } from "./export.operations.js";
export {
	countCoverage,
	coverageOf,
	createGraphOverviews,
	type GraphPageRequest,
	pageOfGraphs,
	toCatalogItem,
	toGraphDetail,
} from "./graph-listing.js";
export { answerIf, toNodeItem, toPage } from "./graph-reading.js";
export {
	conceptConditions,
	nodeItemSchema,
	nodeSchema,
	pageFields,
	trendIdField,
} from "./graph-wire.js";
export { toNode } from "./nodes.operations.js";
export { createGraphIndex, graphMaps, placeOf } from "./reading/graph-map.js";
export { findNeighbors } from "./reading/neighborhood.js";
export { createWalk, toStep } from "./reading/walk.js";
