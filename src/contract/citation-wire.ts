import { z } from "zod";
import { replyComponent } from "./named-schemas.js";
import { TRUST_TIERS } from "./wire.js";

/** One numbered reference of an answer: what is quoted, and where it comes from. */
export const citationSchema = replyComponent(
	"Citation",
	z.object({
		n: z.int().positive().describe("Number it has in the text"),
		evidence_id: z.string().describe("The sentence of a graph that is cited"),
		trend_id: z.string(),
		article_id: z.string(),
		title: z.string(),
		source_url: z.string(),
		published_at: z.string().nullable(),
		publisher: z.string().describe("Host of the source"),
		excerpt: z.string().describe("What the curated graph says, citing the source"),
		trust_tier: z.enum(TRUST_TIERS),
		graph_id: z.string(),
	}),
);
export type CitationWire = z.infer<typeof citationSchema>;

/** A sentence of an answer and the numbers of what carries it. */
export const citedTextSchema = replyComponent(
	"CitedText",
	z.object({
		text: z.string(),
		citation_ids: z.array(z.int().positive()).min(1),
	}),
);
export type CitedTextWire = z.infer<typeof citedTextSchema>;
