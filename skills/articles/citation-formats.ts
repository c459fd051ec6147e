import { ServiceError } from "../../src/kernel/kernel.js";
import { type GraphCatalog, toTrendId } from "../../src/knowledge/knowledge.js";
import { type Article, articleIndexOf } from "./article-index.js";
import { type Citable, type CslItem, toApa, toBibTex, toCsl } from "./citations.js";

export const CITATION_FORMATS = ["csl-json", "bibtex", "apa"] as const;
export type CitationFormat = (typeof CITATION_FORMATS)[number];

export interface CitationOrder {
	readonly trend_ids?: readonly string[] | undefined;
	readonly article_refs?: readonly string[] | undefined;
	readonly formats: readonly CitationFormat[];
}

interface FormattedCitation {
	/** As it was asked for. */
	readonly id: string;
	readonly csl?: CslItem;
	readonly bibtex?: string;
	readonly apa?: string;
}

/** Ids as references: titles, dates and addresses, nothing of what a node says. Throws NOT_FOUND for an id no one knows. */
export type FormatCitations = (
	order: CitationOrder,
) => Promise<{ readonly items: readonly FormattedCitation[] }>;

export interface CitationDeps {
	readonly catalog: GraphCatalog;
	/** Public base address without a trailing slash. */
	readonly baseUrl: () => string;
}

export function createCitations({ catalog, baseUrl }: CitationDeps): FormatCitations {
	return async ({ trend_ids: trendIds = [], article_refs: refs = [], formats }) => {
		const trends = [...new Set(trendIds)].map((id) => trendOf(catalog, id, baseUrl()));
		const { articles } = refs.length > 0 ? await articleIndexOf(catalog) : NO_ARTICLES;
		const cited = [...new Set(refs)].map((ref) => articleOf(articles.get(ref), ref));
		return { items: withOwnKeys([...trends, ...cited]).map((one) => format(one, formats)) };
	};
}

const NO_ARTICLES = { articles: new Map<string, Article>() };

interface Asked {
	readonly id: string;
	readonly citable: Citable;
}

function trendOf(catalog: GraphCatalog, id: string, baseUrl: string): Asked {
	const colon = id.indexOf(":");
	const graph = catalog.find(id.slice(0, colon));
	const concept = graph?.concepts.find((one) => toTrendId(graph.record.id, one.id) === id);
	if (!graph || !concept) throw notFound("trend", id);
	const { title, version, updated, curator } = graph.record;
	const citable: Citable = {
		id,
		type: "entry",
		title: concept.title,
		url: `${baseUrl}/v1/graphs/${graph.record.id}`,
		container: title,
		version,
		...(curator && { publisher: curator.name }),
		issued: { day: updated, precision: "day" },
	};
	return { id, citable };
}

function articleOf(article: Article | undefined, ref: string): Asked {
	if (!article) throw notFound("article", ref);
	const { title, sourceUrl, host, publishedAt: day, datePrecision: precision = "day" } = article;
	const citable: Citable = {
		id: ref,
		type: "webpage",
		title,
		url: sourceUrl,
		container: host,
		...(day !== undefined && { issued: { day, precision } }),
	};
	return { id: ref, citable };
}

/** Ids of nodes may hold letters no citation key can: two that look alike as keys are numbered. */
function withOwnKeys(asked: readonly Asked[]): readonly Asked[] {
	const seen = new Map<string, number>();
	return asked.map(({ id, citable }) => {
		const key = id.replace(/[^A-Za-z0-9:_.-]+/g, "-");
		const count = (seen.get(key) ?? 0) + 1;
		seen.set(key, count);
		return { id, citable: { ...citable, id: count === 1 ? key : `${key}--${count}` } };
	});
}

function format({ id, citable }: Asked, formats: readonly CitationFormat[]): FormattedCitation {
	return {
		id,
		...(formats.includes("csl-json") && { csl: toCsl(citable) }),
		...(formats.includes("bibtex") && { bibtex: toBibTex(citable) }),
		...(formats.includes("apa") && { apa: toApa(citable) }),
	};
}

function notFound(kind: string, id: string): ServiceError {
	return new ServiceError("NOT_FOUND", `No ${kind} is called "${id.slice(0, 200)}".`);
}
