import { z } from "zod";
import {
	asOfField,
	conceptConditions,
	depthField,
	directionField,
	edgeTypesField,
	eventKindsField,
	exportFields,
	nodeIdField,
	prefixField,
	sinceField,
	timelineFields,
} from "../../skills/graphs/graphs.js";
import {
	digitsField,
	graphIdField,
	limitQuery,
	listField,
	pageQuery,
	READING_LIMITS,
} from "../contract/contract.js";

/** Paths and queries of the operations that read a graph: what a request line can say of their inputs. */

export const graphPath = z.strictObject({ graph_id: graphIdField });
export const nodePath = z.strictObject({ graph_id: graphIdField, node_id: nodeIdField });

const edgeTypesQuery = listField(edgeTypesField).describe("Types of edges, parted by commas");

const { type, tags, ...conditions } = conceptConditions;

export const nodeListQuery = z.strictObject({
	type: listField(type.unwrap()).describe("Types of node, parted by commas").optional(),
	tags: listField(tags.unwrap()).describe("Tags, parted by commas: at least one").optional(),
	...conditions,
	prefix: prefixField.optional(),
	...pageQuery,
});

export const neighborsQuery = z.strictObject({
	edge_types: edgeTypesQuery.optional(),
	direction: directionField.default("both"),
	as_of: asOfField.optional(),
	depth: digitsField(READING_LIMITS.depthMax)
		.default(1)
		.describe(depthField.description ?? ""),
	limit: limitQuery,
});

export const edgeListQuery = z.strictObject({
	edge_types: edgeTypesQuery.optional(),
	source: nodeIdField.optional(),
	target: nodeIdField.optional(),
	as_of: asOfField.optional(),
	...pageQuery,
});

export const timelineQuery = z.strictObject({
	...timelineFields,
	kinds: listField(eventKindsField).describe("Kinds of event, parted by commas").optional(),
	...pageQuery,
});

export const exportQuery = z.strictObject(exportFields);

export const changesQuery = z.strictObject({ since: sinceField.optional(), ...pageQuery });
