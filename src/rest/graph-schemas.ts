import { z } from "zod";
import {
	changeSchema,
	changesOutput,
	citationSchema,
	contextFields,
	contextOutput,
	contextSchema,
	edgeListOutput,
	edgeSchema,
	eventSchema,
	exportOutput,
	exportSchema,
	neighborSchema,
	neighborsOutput,
	nodeItemSchema,
	nodeListOutput,
	nodeOutput,
	nodeSchema,
	pathSchema,
	pathsFields,
	pathsOutput,
	similarBodySchema,
	similarItemSchema,
	similarOutput,
	stepSchema,
	subgraphFields,
	subgraphNodeSchema,
	subgraphOutput,
	timelineOutput,
} from "../../skills/graphs/graphs.js";
import { replyComponent, requestComponent, toReply } from "../contract/contract.js";

/** Bodies of the operations that read a graph, by name. */

replyComponent("GraphNodeItem", nodeItemSchema);
replyComponent("GraphNode", nodeSchema);
replyComponent("GraphEdge", edgeSchema);
replyComponent("GraphStep", stepSchema);
replyComponent("GraphNeighbor", neighborSchema);
replyComponent("GraphPath", pathSchema);
replyComponent("SubgraphNode", subgraphNodeSchema);
replyComponent("GraphEvent", eventSchema);
replyComponent("ContextPack", contextSchema);
replyComponent("NumberedCitation", citationSchema);
replyComponent("SimilarNode", similarItemSchema);
replyComponent("GraphExport", exportSchema);
replyComponent("NodeChange", changeSchema);

export const nodeListReply = toReply("GraphNodeListReply", nodeListOutput);
export const nodeReply = toReply("GraphNodeReply", nodeOutput);
export const neighborsReply = toReply("GraphNeighborsReply", neighborsOutput);
export const edgeListReply = toReply("GraphEdgeListReply", edgeListOutput);
export const pathsReply = toReply("GraphPathsReply", pathsOutput);
export const subgraphReply = toReply("SubgraphReply", subgraphOutput);
export const timelineReply = toReply("GraphTimelineReply", timelineOutput);
export const contextReply = toReply("ContextPackReply", contextOutput);
export const similarReply = toReply("SimilarNodesReply", similarOutput);
export const exportReply = toReply("GraphExportReply", exportOutput);
export const changesReply = toReply("GraphChangesReply", changesOutput);

export const pathsBody = requestComponent("GraphPathsRequest", z.strictObject(pathsFields));
export const subgraphBody = requestComponent("SubgraphRequest", z.strictObject(subgraphFields));
export const contextBody = requestComponent("ContextRequest", z.strictObject(contextFields));
export const similarBody = requestComponent("SimilarRequest", similarBodySchema);
