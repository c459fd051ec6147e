import { z } from "zod";
import {
	conceptFiltersSchema,
	cursorField,
	dayField,
	digitsField,
	evidenceSchema,
	graphIdField,
	LIMITS,
	limitField,
	limitQuery,
	listField,
	outputOf,
	pageQuery,
	READING_LIMITS,
	replyComponent,
	requestComponent,
	TRUST_TIERS,
	textUpTo,
} from "../../src/contract/contract.js";

/** What travels when a graph is read: inputs of its operations, and the records they answer with. */

export const nodeIdField = textUpTo(READING_LIMITS.nodeIdChars).describe(
	"Id of the node within its graph: its path with dots",
);

export const trendIdField = z
	.string()
	.regex(/^[a-z0-9][a-z0-9-]{1,62}:.{1,1000}$/su, "must be <graph id>:<node id>")
	.describe("trend_id of a row or list: <graph id>:<node id>");

const edgeTypesField = z
	.array(z.string().trim().min(1, "must not be empty").max(LIMITS.filterChars))
	.min(1, "must not be an empty list")
	.max(LIMITS.filterValues, `must list at most ${LIMITS.filterValues} values`)
	.describe("Types of edges to follow, any of them; all by default");

const directionField = z
	.enum(["out", "in", "both"], "must be one of out, in, both")
	.describe("Whether edges are followed as they point, against that, or both ways");

const asOfField = dayField.describe("Only edges that held on this day; undated ones hold");

/** Conditions on concepts, each a field of its own. */
export const conceptConditions = conceptFiltersSchema.shape;

export const pageFields = {
	limit: limitField.default(LIMITS.rowsDefault),
	cursor: cursorField.optional(),
};
const walkFields = {
	edge_types: edgeTypesField.optional(),
	direction: directionField.default("both"),
	as_of: asOfField.optional(),
};

const prefixField = textUpTo(LIMITS.filterChars).describe(
	"Beginning of the title, an alias or the id, in either case",
);

export const nodeListInput = z.strictObject({
	graph_id: graphIdField,
	...conceptConditions,
	prefix: prefixField.optional(),
	...pageFields,
});

const { type, tags, ...otherConditions } = conceptConditions;

export const nodeListQuery = z.strictObject({
	type: listField(type.unwrap()).describe("Types of node, parted by commas").optional(),
	tags: listField(tags.unwrap()).describe("Tags, parted by commas: at least one").optional(),
	...otherConditions,
	prefix: prefixField.optional(),
	...pageQuery,
});

export const nodeInput = z.strictObject({ graph_id: graphIdField, node_id: nodeIdField });

const upTo = (max: number) =>
	z.int("must be a whole number").min(1, "must be at least 1").max(max, `must be at most ${max}`);

const depthField = upTo(READING_LIMITS.depthMax).describe("Edges from the node, at most");

export const neighborsInput = z.strictObject({
	graph_id: graphIdField,
	node_id: nodeIdField,
	...walkFields,
	depth: depthField.default(1),
	limit: limitField.default(LIMITS.rowsDefault),
});

const edgeTypesQuery = listField(edgeTypesField).describe("Types of edges, parted by commas");

export const neighborsQuery = z.strictObject({
	edge_types: edgeTypesQuery.optional(),
	direction: directionField.default("both"),
	as_of: asOfField.optional(),
	depth: digitsField(READING_LIMITS.depthMax)
		.default(1)
		.describe(depthField.description ?? ""),
	limit: limitQuery,
});

export const edgeListInput = z.strictObject({
	graph_id: graphIdField,
	edge_types: edgeTypesField.optional(),
	source: nodeIdField.optional(),
	target: nodeIdField.optional(),
	as_of: asOfField.optional(),
	...pageFields,
});

export const edgeListQuery = z.strictObject({
	edge_types: edgeTypesQuery.optional(),
	source: nodeIdField.optional(),
	target: nodeIdField.optional(),
	as_of: asOfField.optional(),
	...pageQuery,
});

const pathsFields = {
	from: nodeIdField,
	to: nodeIdField,
	...walkFields,
	max_steps: upTo(READING_LIMITS.pathStepsMax)
		.default(READING_LIMITS.pathStepsMax)
		.describe("Edges of one path, at most"),
	limit: upTo(READING_LIMITS.pathsMax)
		.default(READING_LIMITS.pathsDefault)
		.describe("Number of paths wanted"),
};
export const pathsBody = requestComponent("GraphPathsRequest", z.strictObject(pathsFields));
export const pathsInput = z.strictObject({ graph_id: graphIdField, ...pathsFields });

const subgraphFields = {
	seeds: z
		.array(nodeIdField)
		.min(1, "must not be an empty list")
		.max(READING_LIMITS.seedsMax, `must list at most ${READING_LIMITS.seedsMax} nodes`)
		.describe("Nodes to begin with"),
	...walkFields,
	max_nodes: upTo(READING_LIMITS.subgraphNodesMax).default(READING_LIMITS.subgraphNodesDefault),
	max_bytes: z
		.int("must be a whole number")
		.min(READING_LIMITS.subgraphBytesMin, `must be at least ${READING_LIMITS.subgraphBytesMin}`)
		.max(READING_LIMITS.subgraphBytesMax, `must be at most ${READING_LIMITS.subgraphBytesMax}`)
		.default(READING_LIMITS.subgraphBytesDefault)
		.describe("JSON bytes of all nodes and edges together, at most"),
};
export const subgraphBody = requestComponent("SubgraphRequest", z.strictObject(subgraphFields));
export const subgraphInput = z.strictObject({ graph_id: graphIdField, ...subgraphFields });

export const nodeItemSchema = replyComponent(
	"GraphNodeItem",
	z.object({
		node_id: z.string(),
		trend_id: z.string().describe("The same node in search rows"),
		title: z.string(),
		type: z.string(),
		summary: z.string(),
		tags: z.array(z.string()),
		aliases: z.array(z.string()),
		status: z.enum(["draft", "stable", "deprecated"]),
		trust_tier: z.enum(TRUST_TIERS),
		evidence_count: z.int(),
		degree: z.int().describe("Edges in and out"),
	}),
);
export type NodeItemWire = z.infer<typeof nodeItemSchema>;

const edgeSchema = replyComponent(
	"GraphEdge",
	z.object({
		source: z.string(),
		type: z.string(),
		target: z.string(),
		weight: z.number(),
		valid_from: z.string().nullable(),
		valid_to: z.string().nullable(),
		sentence: z
			.string()
			.nullable()
			.describe("What the source says where it links to the target; null where it only lists it"),
	}),
);
export type EdgeWire = z.infer<typeof edgeSchema>;

const stepSchema = replyComponent(
	"GraphStep",
	edgeSchema.extend({
		direction: z.enum(["out", "in"]).describe("in when the edge is walked against its direction"),
	}),
);

export const nodeSchema = replyComponent(
	"GraphNode",
	nodeItemSchema.extend({
		body: z.string().describe("Markdown"),
		evidence: z.array(evidenceSchema),
		provenance: z.object({
			generated_by: z.string().nullable(),
			generated_at: z.string().nullable(),
			verified: z.array(z.object({ by: z.string(), at: z.string().nullable() })),
			stale_after: z.string().nullable(),
			content_hash: z.string().describe("sha256 of the graph's files this was read from"),
		}),
		edges: z
			.array(z.object({ type: z.string(), direction: z.enum(["out", "in"]), count: z.int() }))
			.describe("How many edges of each type lead out and in"),
	}),
);

const neighborSchema = replyComponent(
	"GraphNeighbor",
	z.object({
		node: nodeItemSchema,
		distance: z.int(),
		weight: z.number().describe("Product of the weights along the way"),
		via: stepSchema.describe("The last step of the way"),
	}),
);

const pathSchema = replyComponent(
	"GraphPath",
	z.object({
		length: z.number().describe("Sum over its edges of one over the weight"),
		nodes: z.array(z.object({ node_id: z.string(), title: z.string(), type: z.string() })),
		steps: z.array(stepSchema),
	}),
);

const subgraphNodeSchema = replyComponent(
	"SubgraphNode",
	nodeItemSchema.extend({
		distance: z.number().describe("Length of the way from the nearest seed, 0 for seeds"),
	}),
);

const completeField = z
	.boolean()
	.describe("False when a bound on work or size ended it before all was seen");

export const graphMeta = z.object({
	graph_id: z.string(),
	version: z.string().describe("Version of the graph's record"),
});
export const listMeta = graphMeta.extend({
	next_cursor: z.string().nullable().describe("Null when the list is complete"),
});

/** The envelope of a paid answer about one graph. */
export const answerOf = <D extends z.ZodType>(data: D) => outputOf(data, graphMeta);
export const pageOf = <T extends z.ZodType>(item: T) =>
	outputOf(z.object({ items: z.array(item) }), listMeta);

export const nodeListOutput = pageOf(nodeItemSchema);
export const nodeOutput = answerOf(nodeSchema);
export const neighborsOutput = answerOf(
	z.object({ items: z.array(neighborSchema), is_complete: completeField }),
);
export const edgeListOutput = pageOf(edgeSchema);
export const pathsOutput = answerOf(
	z.object({ items: z.array(pathSchema), is_complete: completeField }),
);
export const subgraphOutput = answerOf(
	z.object({
		nodes: z.array(subgraphNodeSchema),
		edges: z.array(edgeSchema),
		bytes: z.int().describe("JSON bytes of nodes and edges"),
		is_complete: completeField,
	}),
);
