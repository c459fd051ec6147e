import { z } from "zod";
import { replyComponent } from "../../src/contract/contract.js";
import { numberedSources } from "../answers/answers.js";
import { momentumSchema } from "../trends/trends.js";
import { RISK_KINDS } from "./brand-risks.js";
import {
	basisSchema,
	brandHeadSchema,
	brandOutput,
	bucketSchema,
	citations,
	evidenceIds,
	footprintFields,
	gapSchema,
	mentionIds,
	sentimentSchema,
	shareSchema,
	signalSchema,
	windowSchema,
} from "./brand-wire.js";

/** The whole report on one brand as it travels. */

const footprintSchema = z.object({
	...footprintFields,
	first_seen_mention: z.int().nullable().describe("n of the mention"),
	is_complete: z.boolean().describe("False when it has more mentions than are listed and read"),
	by_graph: z.array(
		z.object({
			graph_id: z.string(),
			title: z.string(),
			mentions: z.int(),
			share: z.number().describe("Of its mentions"),
			articles: z.int(),
			last_seen: z.string().nullable(),
			mention_ids: mentionIds,
		}),
	),
	owners: z
		.array(z.object({ owner: z.string(), mentions: z.int(), mention_ids: mentionIds }))
		.describe("Independent owners of sources; sources_independent counts them"),
});

const mentionSchema = replyComponent(
	"BrandMention",
	z.object({
		n: z.int().describe("What mention_ids refer to"),
		evidence_id: z.string(),
		graph_id: z.string(),
		document: z.string().describe("Title of the document it stands in"),
		date: z.string().nullable().describe("YYYY, YYYY-MM or YYYY-MM-DD"),
		date_basis: basisSchema,
		by: z.enum(["name", "own document"]).describe("What makes it a mention"),
		score: z.number().describe("How surely the brand is meant, 0 to 1"),
		sources: z.array(z.int()).describe("n of sources"),
	}),
);

const quotedSchema = z.object({
	text: z.string().describe("Word for word as the graph has it"),
	evidence_ids: z.array(z.string()).min(1),
	sources: z.array(z.int()).describe("n of sources"),
});

const withMentions = { mention_ids: mentionIds };

const intelligenceSchema = replyComponent(
	"BrandIntelligence",
	z.object({
		report_id: z.string().describe("Its page is /reports/{report_id}"),
		kept_until: z.string().nullable().describe("Until when its page can be opened; null: not kept"),
		brand: brandHeadSchema,
		summary: z
			.array(quotedSchema)
			.describe("What it is and does, in passages that are printed nowhere else in the reply"),
		window: windowSchema,
		footprint: footprintSchema,
		share_of_voice: z.array(shareSchema),
		sentiment: sentimentSchema,
		signals: z.array(signalSchema.extend(withMentions)),
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
				...withMentions,
			}),
		),
		timeline: z.array(bucketSchema.extend(withMentions)),
		risks: z
			.array(
				z.object({
					kind: z.enum(RISK_KINDS),
					claim: z.string().describe("What a model was asked whether the sentence says"),
					confidence: z.number().describe("How sure it read that, 0 to 1"),
					statement: z
						.string()
						.nullable()
						.describe("The sentence that says so most surely; null where it stands in the summary"),
					date: z.string().nullable(),
					date_basis: basisSchema,
					sources_independent: z.int(),
					evidence: evidenceIds,
					...withMentions,
				}),
			)
			.describe("Dangers by which this brand is affected as the judge reads its mentions"),
		gaps: z.array(gapSchema),
		mentions: z.array(mentionSchema).describe("Newest first; every figure is counted from them"),
		sources: numberedSources,
		citations: citations.describe(
			"Text of mentions that figures point to, as far as it fits; what stands in the summary or a risk is not repeated",
		),
		prose_tokens: z
			.int()
			.describe("What summary, risks and citations take, at some 4 characters each"),
	}),
);
export type BrandIntelligence = z.infer<typeof intelligenceSchema>;

export const intelligenceOutput = brandOutput(intelligenceSchema);
