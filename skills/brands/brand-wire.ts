import { z } from "zod";
import {
	citationSchema,
	dayField,
	EVIDENCE_LIMITS,
	outputOf,
	replyComponent,
	requestComponent,
	trimmedUpTo,
} from "../../src/contract/contract.js";
import { momentumSchema } from "../trends/trends.js";
import { BRAND_LIMITS } from "./brand-index.js";

/** What travels of brands: which ones are asked for, over which days, and what is said of them. */

const { brandChars } = EVIDENCE_LIMITS;

export const BRAND_BILLING =
	"Paid per call; an unknown brand, and one of which nothing is said in the window, cost nothing.";

export const brandField = trimmedUpTo(brandChars).describe(
	"A brand's key, name, other name, domain or ticker symbol",
);

const SPAN = /^(?:[1-9]\d{0,4}d|[1-9]\d{0,3}w|[1-9]\d{0,2}m|[1-9]\d?y)$/;

const spanField = z
	.string()
	.regex(SPAN, "must be a number of days, weeks, months or years, such as 90d, 12w, 6m or 2y")
	.describe("Up to and with today, such as 90d, 12w, 6m (of 30 days) or 2y (of 365)");

const daysFields = {
	from: dayField.describe("First day").optional(),
	to: dayField.describe("Last day, today by default").optional(),
};
const inOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }) =>
	from === undefined || to === undefined || from <= to;
const ORDER = "must not begin after it ends";

const windowField = z
	.union([spanField, z.strictObject(daysFields).refine(inOrder, ORDER)])
	.describe("Days of publication that count; all up to today by default");

const windowQueryFields = { window: spanField.optional(), ...daysFields };

interface WindowQuery {
	readonly window?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

/** Beside the fields themselves: the days in order, and either a span or days. */
const checkWindow = <T extends z.ZodType<WindowQuery>>(schema: T) =>
	schema
		.refine(inOrder, { message: ORDER, path: ["from"] })
		.refine(({ window, from, to }) => window === undefined || (from ?? to) === undefined, {
			message: 'send either "window" or "from" and "to"',
			path: ["window"],
		});

const brandsField = (least: number, most: number) =>
	z
		.array(brandField)
		.min(least, `must list at least ${least} brands`)
		.max(most, `must list at most ${most} brands`);

const intelligenceFields = {
	window: windowField.optional(),
	compare_with: brandsField(1, BRAND_LIMITS.compareWithMax)
		.describe("Brands to share the voice with; by default those most named in the same graphs")
		.optional(),
};
export const intelligenceBody = requestComponent(
	"BrandIntelligenceRequest",
	z.strictObject(intelligenceFields),
);
export const intelligenceInput = z.strictObject({ brand: brandField, ...intelligenceFields });

export const windowQuery = checkWindow(z.strictObject(windowQueryFields));
export const brandReadingInput = checkWindow(
	z.strictObject({ brand: brandField, ...windowQueryFields }),
);
const bucketField = z
	.enum(["day", "month", "quarter", "year"], "must be one of day, month, quarter, year")
	.describe("Length of a stretch; chosen by the window when absent");
export const timelineQuery = checkWindow(
	z.strictObject({ ...windowQueryFields, bucket: bucketField.optional() }),
);
export const brandTimelineInput = checkWindow(
	z.strictObject({ brand: brandField, ...windowQueryFields, bucket: bucketField.optional() }),
);

export const compareInput = requestComponent(
	"BrandCompareRequest",
	z.strictObject({
		brands: brandsField(2, BRAND_LIMITS.comparedMax),
		window: windowField.optional(),
	}),
);

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

const signalSchema = replyComponent(
	"BrandSignal",
	z.object({
		type: z.enum(["event", "signal", "volume"]),
		title: z.string(),
		date: z.string().nullable(),
		strength: z.number().describe("0 to 1; docs/adr/0033"),
		evidence: evidenceIds,
	}),
);

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

const intelligenceSchema = replyComponent(
	"BrandIntelligence",
	z.object({
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
	}),
);
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

const brandOutput = <D extends z.ZodType>(data: D) => outputOf(data, brandMetaSchema);

export const intelligenceOutput = brandOutput(intelligenceSchema);

const readingFields = { brand: brandHeadSchema, window: windowSchema };

export const brandSignalsOutput = brandOutput(
	z.object({ ...readingFields, items: z.array(signalSchema), citations }),
);
export const brandTimelineOutput = brandOutput(
	z.object({ ...readingFields, bucket: bucketField, items: z.array(bucketSchema), citations }),
);
const brandSourceSchema = replyComponent(
	"BrandPublisher",
	z.object({
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
		citation_ids: z
			.array(z.int())
			.describe("n of the citations that are of this publisher's pages"),
	}),
);
export const brandSourcesOutput = brandOutput(
	z.object({
		...readingFields,
		items: z.array(brandSourceSchema),
		is_complete: z.boolean().describe("False when more publishers speak of it than are listed"),
		citations,
	}),
);
const comparedBrandSchema = replyComponent(
	"ComparedBrand",
	z.object({
		brand: z.string(),
		name: z.string(),
		...footprintFields,
		sentiment: sentimentSchema.omit({ method: true }),
		evidence: z.array(z.string()).describe("evidence_id of citations"),
	}),
);
export const compareOutput = brandOutput(
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
