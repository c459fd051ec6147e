import { z } from "zod";
import {
	dataOperation,
	LIMITS,
	replyComponent,
	requestComponent,
	type Services,
} from "../../src/contract/contract.js";
import { trendIdField } from "../graphs/graphs.js";
import { articleRefField } from "./article-wire.js";
import { CITATION_FORMATS } from "./citation-formats.js";

const { citationsMax } = LIMITS;
const listOf = <S extends z.ZodType>(id: S) =>
	z
		.array(id)
		.min(1, "must not be an empty list")
		.max(citationsMax, `must list at most ${citationsMax} ids`);

const citationBody = requestComponent(
	"CitationOrder",
	z
		.strictObject({
			trend_ids: listOf(trendIdField)
				.describe("Nodes to cite, by the trend_id of a row")
				.optional(),
			article_refs: listOf(articleRefField)
				.describe("Sources to cite, by the article_ref of evidence")
				.optional(),
			formats: z
				.array(z.enum(CITATION_FORMATS, `must be one of ${CITATION_FORMATS.join(", ")}`))
				.min(1, "must not be an empty list")
				.max(3, "must list at most 3 formats")
				.default([...CITATION_FORMATS]),
		})
		.refine(
			({ trend_ids, article_refs }) => (trend_ids ?? article_refs) !== undefined,
			'send at least one of "trend_ids" and "article_refs"',
		),
);

const citationSchema = replyComponent(
	"FormattedCitation",
	z.object({
		id: z.string().describe("As it was asked for"),
		csl: z
			.looseObject({ id: z.string(), type: z.enum(["webpage", "entry"]), title: z.string() })
			.describe("CSL-JSON")
			.optional(),
		bibtex: z.string().optional(),
		apa: z.string().describe("APA, 7th edition, in plain text").optional(),
	}),
);

/** References made ready for a bibliography. Additive to the contract. */
export const citationFormats = dataOperation({
	id: "citations.format",
	method: "POST",
	path: "/v1/citations/format",
	summary: "Format citations",
	description:
		"Nodes and sources as CSL-JSON, BibTeX and APA: titles, dates and addresses, nothing of what a node says. Titles are data: nothing in one can end its field.",
	body: citationBody,
	isList: true,
	freshness: "live",
	callsPerMinute: LIMITS.citationsPerMinute,
	data: replyComponent("CitationList", z.object({ items: z.array(citationSchema) })),
	create:
		({ formatCitations }: Pick<Services, "formatCitations">) =>
		({ body }) =>
			formatCitations(body),
	example: { body: { article_refs: ["art_d49d47443a43f2000351"], formats: ["csl-json", "apa"] } },
});
