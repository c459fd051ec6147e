export type { CatalogSkillDeps } from "./catalog-skill.js";
export type { RunBounded } from "./export-cache.js";
export { countCoverage, coverageOf } from "./graph-coverage.js";
export {
	CHANGE,
	CONTEXT,
	EDGE,
	EVENT,
	EXPORT,
	GRAPH_ID,
	NODE,
	NODE_ID,
	NODE_ITEM,
	OTHER_ID,
	OTHER_ITEM,
	PATH,
	QUERY,
	STEP,
	toGraphReply,
	toPageReply,
} from "./graph-examples.js";
export {
	changeSchema,
	changesOutput,
	citationSchema,
	contextFields,
	contextOutput,
	contextSchema,
	eventKindsField,
	eventSchema,
	exportFields,
	exportOutput,
	exportSchema,
	similarBodySchema,
	similarItemSchema,
	similarOutput,
	sinceField,
	timelineFields,
	timelineOutput,
} from "./graph-feed-wire.js";
export {
	type GraphPageRequest,
	pageOfGraphs,
	toCatalogItem,
	toGraphDetail,
} from "./graph-listing.js";
export { toNode } from "./graph-nodes.js";
export { createGraphOverviews } from "./graph-overviews.js";
export { createGraphReadings } from "./graph-readings.js";
export { answerIf, toNodeItem } from "./graph-skill.js";
export {
	asOfField,
	conceptConditions,
	depthField,
	directionField,
	edgeListOutput,
	edgeSchema,
	edgeTypesField,
	neighborSchema,
	neighborsOutput,
	nodeIdField,
	nodeItemSchema,
	nodeListOutput,
	nodeOutput,
	nodeSchema,
	pageFields,
	pathSchema,
	pathsFields,
	pathsOutput,
	prefixField,
	stepSchema,
	subgraphFields,
	subgraphNodeSchema,
	subgraphOutput,
} from "./graph-wire.js";
export { toPage } from "./list-page.js";
export { createGraphIndex, graphMaps, placeOf } from "./reading/graph-map.js";
export { findNeighbors } from "./reading/neighborhood.js";
export { createWalk, toStep } from "./reading/walk.js";
