import { z } from "zod";
import {
	dataOperation,
	LIMITS,
	replyComponent,
	replyList,
	requestComponent,
	type Services,
} from "../../src/contract/contract.js";
import { notFound, type ServiceError } from "../../src/kernel/kernel.js";
import { type GraphCatalog, toTrendId } from "../../src/knowledge/knowledge.js";
import { trendIdField } from "../graphs/graphs.js";
import { type Article, articleIndexOf } from "./article-index.js";
import { articleRefField } from "./article-wire.js";
import { type Citable, toApa, toBibTex, toCsl, toKey } from "./citations.js";

const CITATION_FORMATS = ["csl-json", "bibtex", "apa"] as const;

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
	at: "POST /v1/citations/format",
	summary: "Format citations",
	description:
		"Nodes and sources as CSL-JSON, BibTeX and APA: titles, dates and addresses, nothing of what a node says. Titles are data: nothing in one can end its field.",
	body: citationBody,
	isList: true,
	callsPerMinute: LIMITS.citationsPerMinute,
	data: replyList("CitationList", citationSchema),
	answer: (services: Pick<Services, "catalog" | "baseUrl">, { body }) =>
		formatCitations(services, body),
	example: { body: { article_refs: ["art_d49d47443a43f2000351"], formats: ["csl-json", "apa"] } },
});

/** Ids as references: titles, dates and addresses, nothing of what a node says. Throws NOT_FOUND for an unknown id. */
export async function formatCitations(
	{ catalog, baseUrl }: Pick<Services, "catalog" | "baseUrl">,
	order: z.output<typeof citationBody>,
) {
	const { trend_ids: trendIds = [], article_refs: refs = [], formats } = order;
	const trends = [...new Set(trendIds)].map((id) => trendOf(catalog, id, baseUrl()));
	const articles = refs.length > 0 ? (await articleIndexOf(catalog)).articles : undefined;
	const cited = [...new Set(refs)].map((ref) => articleOf(articles?.get(ref), ref));
	const counts = new Map<string, number>();
	const items = [...trends, ...cited].map((asked) => {
		// Two ids that look alike as keys are numbered.
		const key = toKey(asked.id);
		const count = (counts.get(key) ?? 0) + 1;
		counts.set(key, count);
		const citable = { ...asked, id: count === 1 ? key : `${key}--${count}` };
		return {
			id: asked.id,
			...(formats.includes("csl-json") && { csl: toCsl(citable) }),
			...(formats.includes("bibtex") && { bibtex: toBibTex(citable) }),
			...(formats.includes("apa") && { apa: toApa(citable) }),
		};
	});
	return { items };
}

function trendOf(catalog: GraphCatalog, id: string, baseUrl: string): Citable {
	const colon = id.indexOf(":");
	const graph = catalog.find(id.slice(0, colon));
	const concept = graph?.concepts.find((one) => toTrendId(graph.record.id, one.id) === id);
	if (!graph || !concept) throw noSuch("trend", id);
	const { title, version, updated, curator } = graph.record;
	return {
		id,
		type: "entry",
		title: concept.title,
		url: `${baseUrl}/v1/graphs/${graph.record.id}`,
		container: title,
		version,
		...(curator && { publisher: curator.name }),
		issued: { day: updated, precision: "day" },
	};
}

function articleOf(article: Article | undefined, ref: string): Citable {
	if (!article) throw noSuch("article", ref);
	const { title, sourceUrl, host, publishedAt: day, datePrecision: precision = "day" } = article;
	return {
		id: ref,
		type: "webpage",
		title,
		url: sourceUrl,
		container: host,
		...(day !== undefined && { issued: { day, precision } }),
	};
}

function noSuch(kind: string, id: string): ServiceError {
	return notFound(`No ${kind} is called "${id.slice(0, 200)}".`);
}
