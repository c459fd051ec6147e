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
import { BRAND_LIMITS, BRAND_MENTIONS_LEAST, BRAND_OWNERS_LEAST } from "./brand-index.js";

/** What travels of brands: which ones are asked for, over which days, and what is said of them. */

const { brandChars } = EVIDENCE_LIMITS;

export const BRAND_BILLING =
	"Paid per call; an unknown brand, and one of which nothing is said in the window, cost nothing.";

/** What is a brand here, for descriptions. */
export const BRAND_RULE =
	"A brand is an organization or product: a document of type Organization, Company, Corporation, Brand or Product (or of type Entity with that as its kind or tag) with a registry id (cik, lei, registry_id), ticker, domain, legal_name or alias in its front matter; no other document is one.";
export const BRAND_MINIMUM = `below ${BRAND_MENTIONS_LEAST} mentions or ${BRAND_OWNERS_LEAST} independent owners of their sources in the window it is a 404 that says how many there are`;

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

export const evidenceIds = z.array(z.string()).describe("evidence_id of citations, at least one");
const intervalSchema = z.object({ low: z.number(), high: z.number() }).describe("Wilson, 95 %");
export const windowSchema = z.object({
	from: z.string().nullable().describe("Null: from the beginning, undated sources included"),
	to: z.string(),
});

const namedBrandSchema = z.object({ brand: z.string(), name: z.string() });
export const brandHeadSchema = z.object({
	id: z.string().describe("Its name in addresses"),
	name: z.string(),
	aliases: z.array(z.string()),
	domains: z.array(z.string()),
	kind: z.string().describe("Type of its nodes"),
	is: z.enum(["organization", "product"]),
	legal_name: z.string().nullable(),
	tickers: z.array(z.string()),
	exchange: z.string().nullable(),
	cik: z.string().nullable(),
	lei: z.string().nullable(),
	registry_id: z.string().nullable(),
	maker: namedBrandSchema.nullable().describe("Who makes a product, where the graphs say so"),
	products: z.array(namedBrandSchema),
});

export const mentionIds = z.array(z.int()).describe("n of all the mentions it is counted from");
export const basisSchema = z
	.enum(["told", "published"])
	.nullable()
	.describe("told: the text names the date; published: it is that of the newest source");

export const footprintFields = {
	mentions: z
		.int()
		.describe("Cited sentences that name it in its context, or stand in a node of its own"),
	articles: z.int().describe("Distinct addresses"),
	graphs: z.int(),
	sources_independent: z.int().describe("Publishers; copies under one title count once"),
	first_seen: z.string().nullable().describe("Day of the first dated mention"),
	last_seen: z.string().nullable(),
	first_seen_basis: basisSchema,
	last_seen_basis: basisSchema,
	undated: z.int().describe("Mentions without a date"),
};
export const shareSchema = z.object({
	brand: z.string(),
	name: z.string(),
	share: z.number().describe("Of the mentions of all brands listed; they add up to 1"),
	mentions: z.int(),
	n: z.int().describe("Mentions of all brands listed"),
	interval: intervalSchema,
	is_small_sample: z.boolean(),
	evidence: z
		.array(z.string())
		.describe(
			"evidence_id of all its mentions; none for the brand itself, whose mentions are listed",
		)
		.optional(),
});

const toneFields = {
	net: z.number().describe("(positive - negative) / n"),
	positive: z.int(),
	neutral: z.int(),
	negative: z.int(),
	n: z.int(),
};
export const sentimentSchema = z.object({
	...toneFields,
	positive_interval: intervalSchema.describe(
		"Wilson 95 % of the positive share among sentences with a tone",
	),
	is_small_sample: z.boolean(),
	method: z.string(),
	positive_mentions: mentionIds.optional(),
	negative_mentions: mentionIds.optional(),
});

export const signalSchema = replyComponent(
	"BrandSignal",
	z.object({
		type: z.enum(["event", "signal", "volume"]),
		title: z.string(),
		date: z.string().nullable(),
		strength: z.number().describe("0 to 1; docs/adr/0033"),
		evidence: evidenceIds,
	}),
);

export const bucketSchema = z.object({
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
		"risks_not_read",
	]),
	message: z.string(),
});

export const citations = z.array(citationSchema);

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

export const brandOutput = <D extends z.ZodType>(data: D) => outputOf(data, brandMetaSchema);

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
