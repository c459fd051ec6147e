import { z } from "zod";
import { graphIdField } from "../../contract/contract.js";

/** What the commands of publishing take. */

const named = { graph_id: graphIdField };
const line = (max: number) => z.string().trim().min(1).max(max);
const conceptId = line(4_096);
const TEXT_CHARS = 1_000_000;
const ITEMS_MAX = 500;

const source = z.strictObject({
	title: line(300).optional(),
	url: line(2_000),
	/** As precise as it is known: a year, a month or a day. */
	date: line(40).optional(),
});
export type GivenSource = z.output<typeof source>;

const node = z.union([
	z.strictObject({
		/** From the graph's root, with `.md`. */
		path: line(4_096),
		/** The whole file: front matter with a type, then Markdown. */
		markdown: z.string().max(TEXT_CHARS),
	}),
	z.strictObject({
		/** `/` between folders is a `.` in it. Made from the title by default. */
		id: conceptId.optional(),
		title: line(300),
		type: line(100).default("Concept"),
		description: line(2_000).optional(),
		body: z.string().max(TEXT_CHARS).default(""),
		tags: z.array(line(100)).max(100).optional(),
		sources: z.array(source).max(100).optional(),
	}),
]);
export type GivenNode = z.output<typeof node>;

const edge = z.strictObject({
	source: conceptId,
	/** Lower-case with hyphens; so it is written. */
	type: z
		.string()
		.trim()
		.regex(/^[^:\n]{1,80}$/, "must be 1 to 80 characters without a colon"),
	target: conceptId,
	weight: z.number().positive().max(1_000).optional(),
	valid_from: z.iso.date().optional(),
	valid_to: z.iso.date().optional(),
});
export type GivenEdge = z.output<typeof edge>;

export const publishCommands = {
	putNodes: z.strictObject({ ...named, nodes: z.array(node).min(1).max(ITEMS_MAX) }),
	putEdges: z.strictObject({ ...named, edges: z.array(edge).min(1).max(ITEMS_MAX) }),
	/** `<source>:<type>:<target>` */
	removeEdge: z.strictObject({ ...named, edge_id: line(9_000) }),
	/** What the one says, its sources and edges go to the other. */
	mergeNodes: z.strictObject({ ...named, from: conceptId, into: conceptId }),
	addEvidence: z.strictObject({
		...named,
		concept_id: conceptId,
		...source.shape,
		/** Words of the concept's body that the source carries; all of the concept by default. */
		sentence: line(2_000).optional(),
	}),
};
