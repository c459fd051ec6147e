import { z } from "zod";
import { citationSchema } from "../../src/contract/contract.js";
import { momentumSchema } from "../trends/trends.js";
import { bucketField } from "./brand-input-wire.js";

/** What is told of brands. */

const evidenceIds = z.array(z.string()).describe("evidence_id of citations, at least one");
const intervalSchema = z.object({ low: z.number(), high: z.number() }).describe("Wilson, 95 %");
const windowSchema = z.object({
	from: z.string().nullable().describe("Null: from the beginning, undated sources included"),
	to: z.string(),
});

const brandHeadSchema = z.object({
	id: z.string().describe("Its name in addresses"),
	name: z.string(),
	aliases: z.array(z.string()),
	domains: z.array(z.string()),
	kind: z.string().describe("Type of its nodes"),
});

const footprintFields = {
	mentions: z.int().describe("Cited sentences that name it, or stand in a node of its own"),
	articles: z.int().describe("Distinct addresses"),
	graphs: z.int(),
	sources_independent: z.int().describe("Publishers; copies under one title count once"),
	first_seen: z.string().nullable(),
	last_seen: z.string().nullable(),
	undated: z.int().describe("Mentions nobody dates"),
};
const footprintSchema = z.object({
	...footprintFields,
	is_complete: z
		.boolean()
		.describe("False when it has more mentions than tone and risks are read of"),
	by_graph: z.array(
		z.object({
			graph_id: z.string(),
			title: z.string(),
			mentions: z.int(),
			articles: z.int(),
			last_seen: z.string().nullable(),
		}),
	),
});

const shareSchema = z.object({
	brand: z.string(),
	name: z.string(),
	share: z.number().describe("Of the mentions of all brands listed; they add up to 1"),
	mentions: z.int(),
	n: z.int().describe("Mentions of all brands listed"),
	interval: intervalSchema,
	is_small_sample: z.boolean(),
});

const toneFields = {
	net: z.number().describe("(positive - negative) / n"),
	positive: z.int(),
	neutral: z.int(),
	negative: z.int(),
	n: z.int(),
};
const sentimentSchema = z.object({
	...toneFields,
	positive_interval: intervalSchema.describe(
		"Wilson 95 % of the positive share among sentences with a tone",
	),
	is_small_sample: z.boolean(),
	method: z.string(),
});

export const signalSchema = z.object({
	type: z.enum(["event", "signal", "volume"]),
	title: z.string(),
	date: z.string().nullable(),
	strength: z.number().describe("0 to 1; docs/adr/0033"),
	evidence: evidenceIds,
});

const bucketSchema = z.object({
	period: z.string(),
	mentions: z.int(),
	articles: z.int(),
	sentiment: z.object(toneFields),
	evidence: z.array(z.string()).describe("evidence_id of citations"),
});

export const gapSchema = z.object({
	kind: z.enum([
		"small_sample",
		"undated",
		"one_publisher",
		"no_mentions",
		"ambiguous",
		"unread",
		"cut",
	]),
	message: z.string(),
});

const citations = z.array(citationSchema);

export const intelligenceSchema = z.object({
	brand: brandHeadSchema,
	window: windowSchema,
	footprint: footprintSchema,
	share_of_voice: z.array(shareSchema),
	sentiment: sentimentSchema,
	signals: z.array(signalSchema),
	trends: z.array(
		z.object({
			trend_id: z.string(),
			name: z.string(),
			role: z.string().describe("names it, or the type of the edge that links it"),
			momentum: momentumSchema,
			evidence: evidenceIds,
		}),
	),
	co_mentions: z.array(
		z.object({
			brand: z.string(),
			name: z.string(),
			mentions: z.int().describe("Sentences that are of both"),
			share: z.number().describe("Of the mentions of the brand asked for"),
			evidence: evidenceIds,
		}),
	),
	timeline: z.array(bucketSchema),
	risks: z.array(
		z.object({
			kind: z.enum(["security", "legal", "lifecycle", "operations"]),
			statement: z.string(),
			date: z.string().nullable(),
			sources_independent: z.int(),
			evidence: evidenceIds,
		}),
	),
	gaps: z.array(gapSchema),
	citations,
});
export type BrandIntelligence = z.infer<typeof intelligenceSchema>;

const brandMetaSchema = z.object({
	query: z.string(),
	decision: z.enum(["ANSWER", "ABSTAIN"]),
	dataStatus: z.enum(["ENTITY_MATCH", "NO_MATCH"]),
	as_of: z.string(),
	graphs_used: z.array(z.string()),
	warnings: z.array(z.string()),
	execution_time_ms: z.int(),
});
export type BrandMeta = z.infer<typeof brandMetaSchema>;

const outputOf = <D extends z.ZodType>(data: D) =>
	z.object({ ok: z.literal(true), data, meta: brandMetaSchema });

export const intelligenceOutput = outputOf(intelligenceSchema);

const readingFields = { brand: brandHeadSchema, window: windowSchema };

export const brandSignalsOutput = outputOf(
	z.object({ ...readingFields, items: z.array(signalSchema), citations }),
);
export const brandTimelineOutput = outputOf(
	z.object({ ...readingFields, bucket: bucketField, items: z.array(bucketSchema), citations }),
);
export const brandSourceSchema = z.object({
	publisher: z
		.string()
		.describe(
			"Who is behind the pages: a name we know, else the registered domain, or the account on hosts of many",
		),
	hosts: z.array(z.string()),
	articles: z.int(),
	mentions: z.int(),
	first_seen: z.string().nullable(),
	last_seen: z.string().nullable(),
	sentiment: z.object(toneFields),
	graphs: z.array(z.string()),
	evidence: evidenceIds,
	citation_ids: z.array(z.int()).describe("n of the citations that are of this publisher's pages"),
});
export const brandSourcesOutput = outputOf(
	z.object({
		...readingFields,
		items: z.array(brandSourceSchema),
		is_complete: z.boolean().describe("False when more publishers speak of it than are listed"),
		citations,
	}),
);
export const comparedBrandSchema = z.object({
	brand: z.string(),
	name: z.string(),
	...footprintFields,
	sentiment: sentimentSchema.omit({ method: true }),
	evidence: z.array(z.string()).describe("evidence_id of citations"),
});
export const compareOutput = outputOf(
	z.object({
		window: windowSchema,
		share_of_voice: z.array(shareSchema),
		brands: z.array(comparedBrandSchema),
		together: z.array(
			z.object({ brands: z.array(z.string()), mentions: z.int(), evidence: evidenceIds }),
		),
		sentiment_method: z.string(),
		gaps: z.array(gapSchema),
		citations,
	}),
);
