import { z } from "zod";
import {
	citationSchema,
	citedTextSchema,
	DATA_STATUSES,
	DECISIONS,
	dayField,
	graphIdField,
	outputOf,
	queryField,
	replyComponent,
	replyList,
	requestComponent,
	TRUST_TIERS,
	textUpTo,
} from "../../src/contract/contract.js";
import { QUESTION_KINDS, tableOf } from "../answers/answers.js";

/** What travels of dossiers: what they are asked for, what they report, and what a newer one changes. */

/** How much one dossier reads and lists. */
export const DOSSIER_LIMITS = {
	graphsMax: 20,
	/** Graphs a topic is routed to when none is named. */
	graphsRouted: 6,
	/** What its passages may take, see tokensOf. */
	tokens: 1_500,
	/** Evidence that answers first. */
	summaryWords: 150,
	/** Sentences of a language model that answer first. */
	summarySentences: 6,
	/** Of what stands side by side in a table. */
	cellWords: 60,
	/** Of what refers to a passage that stands elsewhere. */
	excerptWords: 16,
	contradictionsMax: 10,
	timelineMax: 20,
	entitiesMax: 20,
	/** Feeds that are named with it. */
	feedsMax: 5,
	/** Changes a refreshed dossier lists, of each kind. */
	changesMax: 50,
	dossiersDefault: 20,
	dossiersMax: 100,
	dossierIdChars: 80,
} as const;

export const dossierInput = requestComponent(
	"DossierRequest",
	z.strictObject({
		topic: queryField.describe("What it is about, as a question or a subject"),
		graphs: z
			.array(graphIdField)
			.min(1, "must not be an empty list")
			.max(DOSSIER_LIMITS.graphsMax, `must list at most ${DOSSIER_LIMITS.graphsMax} graphs`)
			.describe("Graphs to read; by default those that cover the topic")
			.optional(),
		as_of: dayField
			.describe("What was published later does not count; today by default")
			.optional(),
	}),
);

const { dossierIdChars } = DOSSIER_LIMITS;
export const dossierIdField = textUpTo(dossierIdChars).describe("dossier_id of a dossier");
export const refreshInput = z.strictObject({ dossier_id: dossierIdField });

const confidenceField = z
	.number()
	.describe("0 to 1: independent sources, their tier, review and age; a judgment of evidence");
const citationIds = z.array(z.int().positive()).min(1);

const contradictingSchema = z.object({
	statement: z.string(),
	reason: z.string(),
	score: z.number(),
	citation_ids: citationIds,
});

const aboutField = z
	.object({ trend_id: z.string(), name: z.string() })
	.describe("Node it stands in: what a statement leaves out, its title names");
const partField = z.int().describe("Place in `parts` of what it answers");

/** A passage that stands among the first words or in the table, where findings would repeat it. */
const quotedSchema = citedTextSchema.extend({
	finding_id: z.string(),
	about: aboutField,
	confidence: confidenceField,
});

const findingSchema = replyComponent(
	"DossierFinding",
	z.object({
		finding_id: z.string(),
		statement: z.string().describe("A passage, word for word, that stands nowhere else"),
		part: partField,
		about: aboutField,
		confidence: confidenceField,
		sources_independent: z.int(),
		tier: z.int().describe("Best tier of its sources, 1 the origin to 4 somebody with an interest"),
		newest: z.string().nullable(),
		citation_ids: citationIds,
		contradicted_by: z.array(contradictingSchema),
	}),
);

const evidenceRowSchema = z.object({
	n: z.int().positive().describe("Its first citation"),
	evidence_id: z.string(),
	title: z.string(),
	publisher: z.string(),
	source_url: z.string(),
	published_at: z.string().nullable(),
	tier: z.int(),
	trust_tier: z.enum(TRUST_TIERS),
	findings: z.array(z.string()).describe("finding_ids it carries"),
	citation_ids: citationIds,
	source_n: z.int().positive().describe("Its number in texts and exports"),
});

export const dossierSchema = replyComponent(
	"Dossier",
	z.object({
		dossier_id: z.string(),
		version: z.int().positive(),
		previous_id: z.string().nullable().describe("The dossier this one refreshes"),
		topic: z.string(),
		graphs_asked: z.array(z.string()).nullable().describe("Null: those that cover the topic"),
		graphs: z.array(z.string()).describe("Graphs that are quoted"),
		verdict: z
			.enum(["answered", "partial", "not_in_graphs"])
			.describe("not_in_graphs: nothing here speaks of it; nothing is charged"),
		form: z.enum(QUESTION_KINDS).describe("What kind of question the topic was read as"),
		parts: z
			.array(z.object({ question: z.string(), answered: z.boolean() }))
			.describe("What the topic asks for, one by one; the topic itself first"),
		summary: z
			.array(
				quotedSchema
					.partial({ finding_id: true, about: true, confidence: true })
					.describe("Without finding_id: written by a language model"),
			)
			.describe("The answer, some 150 words at most; what is disputed stands among findings"),
		table: tableOf(quotedSchema),
		findings: z.array(findingSchema).describe("What else is known, part by part"),
		evidence_table: z
			.array(evidenceRowSchema)
			.describe("Each source once, however often it is cited"),
		timeline: z.array(
			z.object({
				date: z.string().describe("Year, month or day, as it is told"),
				basis: z
					.enum(["told", "published"])
					.describe("Always told: the sentence names the date; sources' dates are no events"),
				text: z.string().describe("The words around the date; the passage stands in its finding"),
				citation_ids: citationIds,
				finding_id: z.string(),
			}),
		),
		entities: z.array(
			z.object({
				trend_id: z.string(),
				name: z.string(),
				type: z.string(),
				graph_id: z.string(),
				mentions: z.int().describe("Sentences of the evidence that stand in its node"),
			}),
		),
		source_profile: z.object({
			tiers: z
				.record(z.string(), z.int())
				.describe("Cited sentences by how their node was checked"),
			authority: z
				.array(z.object({ tier: z.int(), sources: z.int() }))
				.describe("Sources by tier: 1 the origin, 2 reference, 3 press and others, 4 interested"),
			sources: z.int(),
			independent_groups: z.int(),
			publishers: z.array(z.object({ publisher: z.string(), sources: z.int() })),
			date_span: z.object({ oldest: z.string().nullable(), newest: z.string().nullable() }),
			undated: z.int(),
		}),
		contradictions: z.array(
			z.object({
				statements: z.array(citedTextSchema),
				finding_ids: z.array(z.string()).describe("Where they stand, in their order"),
				reason: z.string(),
				score: z.number(),
			}),
		),
		gaps: z.array(
			z.object({
				kind: z.enum(["not_covered", "open_question", "single_source", "outdated", "undated"]),
				message: z.string(),
				citation_ids: z.array(z.int().positive()),
				question: z.string().nullable().describe("The part of the topic that nothing answers"),
				nearest: z
					.array(z.object({ trend_id: z.string(), title: z.string() }))
					.describe("Nodes that come nearest to it"),
			}),
		),
		supplemental: z.array(
			z.object({
				feed_id: z.string(),
				title: z.string(),
				provider: z.string(),
				reason: z.string(),
			}),
		),
		method: z.string(),
		as_of: z.string(),
		citations: z.array(citationSchema),
		tokens: z.int().describe("What its passages take, at some 4 characters a token"),
		kept_until: z.string().nullable().describe("Until when it can be read again; null: not kept"),
	}),
);
export type DossierWire = z.infer<typeof dossierSchema>;

/** What a dossier says, for every caller alike. */
export type DossierBody = Omit<
	DossierWire,
	"dossier_id" | "version" | "previous_id" | "graphs_asked" | "kept_until"
>;

const metaSchema = z.object({
	query: z.string(),
	decision: z.enum(DECISIONS),
	dataStatus: z.enum(DATA_STATUSES),
	as_of: z.string(),
	graphs_used: z.array(z.string()),
	model: z.object({ embedder: z.string().nullable(), writer: z.string() }),
	warnings: z.array(z.string()),
	execution_time_ms: z.int(),
});
export type DossierMeta = z.infer<typeof metaSchema>;

export const dossierOutput = outputOf(dossierSchema, metaSchema);

const changedSchema = z.object({
	statement: z.string(),
	before: z.string(),
	confidence: z.object({ before: z.number(), after: z.number() }),
	citation_ids: citationIds,
});
const dossierDiffSchema = z.object({
	added: z.array(z.object({ statement: z.string(), citation_ids: citationIds })),
	removed: z
		.array(z.object({ statement: z.string(), evidence_ids: z.array(z.string()) }))
		.describe("Findings of the earlier version that are none any more"),
	changed: z.array(changedSchema),
	unchanged: z.int(),
});
export type DossierDiff = z.infer<typeof dossierDiffSchema>;

export const refreshOutput = outputOf(
	dossierSchema.extend({ diff: dossierDiffSchema }),
	metaSchema,
);

export const dossierListSchema = replyList(
	"DossierList",
	replyComponent(
		"DossierItem",
		z.object({
			dossier_id: z.string(),
			topic: z.string(),
			version: z.int(),
			previous_id: z.string().nullable(),
			as_of: z.string(),
			created_at: z.iso.datetime(),
			kept_until: z.iso.datetime(),
		}),
	),
);

export const deletedDossierSchema = replyComponent(
	"DeletedDossier",
	z.object({ dossier_id: z.string(), status: z.literal("deleted") }),
);
