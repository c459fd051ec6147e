import { z } from "zod";
import {
	conceptFiltersSchema,
	DATE_PRECISIONS,
	DECISIONS,
	dayField,
	evidenceSchema,
	graphIdField,
	LIMITS,
	limitField,
	listField,
	outputOf,
	pageQuery,
	queryField,
	READING_LIMITS,
	replyComponent,
	requestComponent,
} from "../../src/contract/contract.js";
import {
	answerOf,
	graphMeta,
	nodeIdField,
	nodeItemSchema,
	pageFields,
	pageOf,
} from "./graph-wire.js";

/** What travels when a graph is read as a whole: by day, as context, by likeness, as a file, as a feed. */

/** What can happen on a day: a source appears, an edge begins or ends, a node is written, verified or goes stale. */
export const EVENT_KINDS = [
	"source-published",
	"edge-began",
	"edge-ended",
	"node-written",
	"node-verified",
	"node-stale",
] as const;
const eventKindsField = z
	.array(z.enum(EVENT_KINDS, `must be one of ${EVENT_KINDS.join(", ")}`))
	.min(1, "must not be an empty list")
	.max(EVENT_KINDS.length, `must list at most ${EVENT_KINDS.length} values`)
	.describe("Kinds of event, any of them; all by default");

const timelineFields = {
	from: dayField.describe("First day wanted").optional(),
	to: dayField.describe("Last day wanted").optional(),
	as_of: dayField
		.describe(
			"Only what had surely happened by this day: a source of a year has once the year is over",
		)
		.optional(),
	node_id: nodeIdField.describe("Events of this node only").optional(),
	order: z.enum(["oldest", "newest"], "must be oldest or newest").default("newest"),
};
export const timelineInput = z.strictObject({
	graph_id: graphIdField,
	...timelineFields,
	kinds: eventKindsField.optional(),
	...pageFields,
});
export const timelineQuery = z.strictObject({
	...timelineFields,
	kinds: listField(eventKindsField).describe("Kinds of event, parted by commas").optional(),
	...pageQuery,
});
const eventSchema = replyComponent(
	"GraphEvent",
	z.object({
		day: z.string().describe("YYYY-MM-DD; the first day of what is known by month or year only"),
		precision: z.enum(DATE_PRECISIONS),
		kind: z.enum(EVENT_KINDS),
		node_id: z.string(),
		title: z.string(),
		detail: z
			.string()
			.describe("Title of the source, type and target of the edge, or who wrote or verified"),
		source_url: z.string().nullable(),
	}),
);
export const timelineOutput = pageOf(eventSchema);

const contextFields = {
	query: queryField,
	max_tokens: z
		.int("must be a whole number")
		.min(READING_LIMITS.contextTokensMin, `must be at least ${READING_LIMITS.contextTokensMin}`)
		.max(READING_LIMITS.contextTokensMax, `must be at most ${READING_LIMITS.contextTokensMax}`)
		.default(READING_LIMITS.contextTokensDefault)
		.describe("Budget of the context, by an estimate that is the same everywhere"),
	filters: conceptFiltersSchema.optional(),
};
export const contextBody = requestComponent("ContextRequest", z.strictObject(contextFields));
export const contextInput = z.strictObject({ graph_id: graphIdField, ...contextFields });
const citationSchema = replyComponent(
	"NumberedCitation",
	evidenceSchema.extend({
		number: z.int().describe("As [1] in the context"),
	}),
);
const contextSchema = replyComponent(
	"ContextPack",
	z.object({
		context: z
			.string()
			.describe("Passages with numbered citations, and the list of sources, as Markdown"),
		tokens: z.int().describe("Estimate for the context"),
		nodes: z
			.array(z.object({ node_id: z.string(), title: z.string(), passages: z.int() }))
			.describe("What it is made of, best first"),
		citations: z.array(citationSchema),
	}),
);
export const contextOutput = outputOf(
	contextSchema,
	graphMeta.extend({
		query: z.string(),
		decision: z.enum(DECISIONS),
		mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
		missing: z.array(z.string()).describe("Words of the query that no node covers"),
	}),
);

const similarFields = {
	text: queryField.describe("Text the nodes are to be like; instead of node_id").optional(),
	node_id: nodeIdField.describe("Node the others are to be like; instead of text").optional(),
	limit: limitField.default(LIMITS.rowsDefault),
	filters: conceptFiltersSchema.optional(),
};
const oneOfBoth = {
	path: ["text"],
	message: 'exactly one of "text" and "node_id" must be given',
};
const hasOneOfBoth = (given: { text?: unknown; node_id?: unknown }) =>
	(given.text === undefined) !== (given.node_id === undefined);
export const similarBody = requestComponent(
	"SimilarRequest",
	z.strictObject(similarFields).refine(hasOneOfBoth, oneOfBoth),
);
export const similarInput = z
	.strictObject({ graph_id: graphIdField, ...similarFields })
	.refine(hasOneOfBoth, oneOfBoth);
const similarItemSchema = replyComponent(
	"SimilarNode",
	nodeItemSchema.extend({
		score: z.number().describe("0 to 1, comparable within one answer only"),
		shared_tags: z.array(z.string()).describe("With the node asked about; empty for a text"),
		shared_sources: z.int().describe("Sources both cite"),
		is_linked: z.boolean().describe("True when an edge joins both"),
	}),
);
export const similarOutput = outputOf(
	z.object({ items: z.array(similarItemSchema) }),
	graphMeta.extend({
		mode: z.enum(["hybrid", "keyword"]).describe("keyword while no embedding model is at hand"),
		decision: z
			.enum(DECISIONS)
			.describe("What the search decides of a text; CLARIFY and ABSTAIN cost nothing"),
		missing: z.array(z.string()).describe("Words of the text that no node covers"),
	}),
);

export const EXPORT_FORMATS = ["okf", "jsonld", "ndjson", "csv", "graphml"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
/** The three tables a graph falls into. */
export const EXPORT_TABLES = ["nodes", "edges", "evidence"] as const;
const exportFields = {
	format: z.enum(EXPORT_FORMATS, `must be one of ${EXPORT_FORMATS.join(", ")}`).default("okf"),
	table: z
		.enum(EXPORT_TABLES, `must be one of ${EXPORT_TABLES.join(", ")}`)
		.default("nodes")
		.describe("Which table, for csv"),
};
export const exportQuery = z.strictObject(exportFields);
export const exportInput = z.strictObject({ graph_id: graphIdField, ...exportFields });
export const exportSchema = replyComponent(
	"GraphExport",
	z.object({
		format: z.string(),
		media_type: z.string(),
		file_name: z.string(),
		encoding: z
			.enum(["utf-8", "base64"])
			.describe("How content holds the file: as its text, or as base64"),
		bytes: z.int().describe("Size of the file"),
		sha256: z.string().describe("Of the file, hex"),
		content: z.string(),
	}),
);
export const exportOutput = answerOf(exportSchema);

const sinceField = dayField.describe("Without a cursor: nodes written or verified since this day");
export const changesQuery = z.strictObject({ since: sinceField.optional(), ...pageQuery });
export const changesInput = z.strictObject({
	graph_id: graphIdField,
	since: sinceField.optional(),
	...pageFields,
});
const changeSchema = replyComponent(
	"NodeChange",
	z.object({
		node_id: z.string(),
		change: z
			.enum(["added", "changed", "removed", "dated"])
			.describe("dated: its own dates say so"),
		title: z.string().nullable().describe("Null for removed nodes"),
		type: z.string().nullable(),
	}),
);
export const changesOutput = outputOf(
	z.object({
		items: z.array(changeSchema),
		basis: z
			.enum(["files", "dates"])
			.describe("files: compared file by file; dates: what the nodes' own dates tell"),
		is_complete: z
			.boolean()
			.describe(
				"False when the revision of the cursor is no longer remembered, or dates are all there is",
			),
	}),
	graphMeta.extend({
		revision: z.string().describe("Name of what the graph is now"),
		has_more: z.boolean(),
		next_cursor: z.string().describe("Goes on from here, now or whenever the graph has changed"),
	}),
);
