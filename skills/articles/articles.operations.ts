import { z } from "zod";
import {
	answer,
	pageQuery,
	paidOperation,
	type SkillServices,
	toReply,
} from "../../src/contract/contract.js";
import { type Graphs, toArticleRef } from "../../src/evidence/evidence.js";
import { memoizeByObject, notFound } from "../../src/kernel/kernel.js";
import {
	compareText,
	type Graph,
	type GraphCatalog,
	toTrendId,
} from "../../src/knowledge/knowledge.js";
import { answerIf, toPage } from "../graphs/graphs.js";
import {
	type Article,
	articleIndexOf,
	type Citation,
	graphsNamed,
	textsOf,
} from "./article-index.js";
import {
	type ArticleWire,
	articleInput,
	articleMentionsInput,
	articleMentionsOutput,
	articleOutput,
	articleRefField,
	articleSearchInput,
	articleSearchOutput,
	EVIDENCE_BILLING,
} from "./article-wire.js";

const EXAMPLE_ADDRESS = "https://eips.ethereum.org/EIPS/eip-3009";
const EXAMPLE_REF = "art_a2e031a6930ff28f2f77";
/** Titles looked at for what filters leave of them. */
const LOOKED_AT = 1_000;

const params = z.strictObject({ article_ref: articleRefField });

/** Articles any graph cites, by the words of their titles. Additive to the contract. */
export const articleSearch = paidOperation({
	id: "articles.search",
	at: "POST /v1/articles/search",
	summary: "Search cited articles",
	description: `Articles that graphs cite, by the words of their titles, best first. One address is one article, whatever scheme, fragment or visitor count it is written with. ${EVIDENCE_BILLING}`,
	body: articleSearchInput,
	reply: toReply("ArticleSearchReply", articleSearchOutput),
	about:
		"Articles, papers and documents that graphs cite, by the words of their titles, best first; of one graph, one host, or some days only. Not charged when none fits.",
	tags: ["articles", "sources", "evidence"],
	examples: ["Which cited documents are about transfers with authorization?"],
	output: articleSearchOutput,
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ query: "transfer with authorization", limit: 3 }),
		prepare: ({ graph_id }) => void graphsNamed(catalog, graph_id),
		async run(input) {
			const { graph_id: graphId } = input;
			const graphs = graphId === undefined ? catalog : alone(catalog.get(graphId));
			const { finder } = await articleIndexOf(graphs);
			const isWanted = toArticleTest(input);
			const most = isWanted ? LOOKED_AT : input.limit;
			const items = finder
				.find(input.query, most)
				.filter(({ item }) => !isWanted || isWanted(item))
				.slice(0, input.limit)
				.map(({ item, score }) => ({ ...toWire(item), score: Math.round(score * 1000) / 1000 }));
			return answerIf(items.length > 0, { ok: true, data: { items }, meta: {} });
		},
	}),
	example: { body: { query: "transfer with authorization", limit: 3 } },
});

/** A graph by itself: what the others say of an article neither finds it nor is reported of it. */
const alone = memoizeByObject((graph: Graph): Graphs => ({ list: () => [graph], revision: "" }));

/** Undefined where nothing was asked of the article. */
function toArticleTest(asked: z.output<typeof articleSearchInput>) {
	const { host, published_after: after, published_before: before } = asked;
	if ((host ?? after ?? before) === undefined) return undefined;
	const wanted = host?.replace(/^www\./, "");
	const isDated = (after ?? before) !== undefined;
	return ({ host: own, publishedAt: day }: Article): boolean =>
		(wanted === undefined || own === wanted) &&
		(!isDated || (day !== undefined && day >= (after ?? day) && day <= (before ?? day)));
}

/** One article with every title and address it is cited by. Additive to the contract. */
export const article = paidOperation({
	id: "articles.get",
	at: "GET /v1/articles/{article_ref}",
	summary: "Read one cited article",
	description: `Titles and addresses it is cited by, its host and date, and who cites it. ${EVIDENCE_BILLING}`,
	params,
	reply: toReply("ArticleReply", articleOutput),
	about:
		"One article by its article_ref: titles and addresses it is cited by, host, date, and which graphs cite it how often.",
	tags: ["articles", "sources"],
	examples: ["When was this document published, and who cites it?"],
	input: articleInput,
	output: articleOutput,
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ article_ref: exampleOf(catalog) }),
		isOffered: () => isAnythingCited(catalog),
		prepare: async ({ article_ref }) => void (await getArticle(catalog, article_ref)),
		async run({ article_ref }) {
			const article = await getArticle(catalog, article_ref);
			return answer({ ok: true, data: { ...toWire(article), ...textsOf(article) }, meta: {} });
		},
	}),
	example: { params: { article_ref: EXAMPLE_REF } },
});

/** Which nodes cite an article. Additive to the contract. */
export const articleMentions = paidOperation({
	id: "articles.mentions",
	at: "GET /v1/articles/{article_ref}/mentions",
	summary: "Nodes that cite an article",
	description: `Every node of any graph that cites it, by trend_id, page by page. ${EVIDENCE_BILLING}`,
	params,
	query: z.strictObject(pageQuery),
	reply: toReply("ArticleMentionsReply", articleMentionsOutput),
	about:
		"Every node of any graph that cites the article, in the order of the trend ids, page by page.",
	tags: ["articles", "mentions", "evidence"],
	examples: ["What else rests on this document?"],
	input: articleMentionsInput,
	output: articleMentionsOutput,
	create: ({ catalog }: Pick<SkillServices, "catalog">) => ({
		exampleInput: () => ({ article_ref: exampleOf(catalog), limit: 5 }),
		isOffered: () => isAnythingCited(catalog),
		async prepare(input) {
			await getArticle(catalog, input.article_ref);
			toPage("mentions", input, 1);
		},
		async run(input) {
			const { citations } = await getArticle(catalog, input.article_ref);
			const page = toPage("mentions", input, 1);
			const [after = ""] = page.after ?? [];
			const byTrend = new Map(citations.map((citation) => [trendIdOf(citation), citation]));
			const rest = [...byTrend].filter(([id]) => id > after).sort(([a], [b]) => compareText(a, b));
			const shown = rest.slice(0, input.limit);
			const last = shown.at(-1);
			return answerIf(shown.length > 0, {
				ok: true,
				data: { items: shown.map(([, citation]) => toMention(citation)) },
				meta: { next_cursor: page.next(rest.length > shown.length, last && [last[0]]) },
			});
		},
	}),
	example: { params: { article_ref: EXAMPLE_REF }, query: { limit: "5" } },
});

function isAnythingCited(catalog: GraphCatalog): boolean {
	return catalog
		.list()
		.some(({ concepts }) => concepts.some(({ evidence }) => evidence.length > 0));
}

/** The example's article where a graph cites it, else the first that one does. */
function exampleOf(catalog: GraphCatalog): string {
	let first: string | undefined;
	for (const { concepts } of catalog.list()) {
		for (const { sourceUrl } of concepts.flatMap(({ evidence }) => evidence)) {
			if (sourceUrl === EXAMPLE_ADDRESS) return EXAMPLE_REF;
			first ??= toArticleRef(sourceUrl);
		}
	}
	return first ?? EXAMPLE_REF;
}

async function getArticle(catalog: GraphCatalog, ref: string): Promise<Article> {
	const article = (await articleIndexOf(catalog)).articles.get(ref);
	if (article) return article;
	throw notFound(
		`No graph cites an article "${ref}"; POST /v1/articles/search finds the refs of titles.`,
	);
}

function toWire(article: Article): ArticleWire {
	const { ref, title, sourceUrl, host, publishedAt, datePrecision, citations } = article;
	return {
		article_ref: ref,
		title,
		source_url: sourceUrl,
		host,
		published_at: publishedAt ?? null,
		date_precision: datePrecision ?? null,
		graphs: [...new Set(citations.map(({ graph }) => graph.record.id))],
		mentions: new Set(citations.map(trendIdOf)).size,
	};
}

function trendIdOf({ graph, concept }: Citation): string {
	return toTrendId(graph.record.id, concept.id);
}

function toMention(citation: Citation) {
	const { graph, concept, evidence } = citation;
	return {
		trend_id: trendIdOf(citation),
		graph_id: graph.record.id,
		node_id: concept.id,
		title: concept.title,
		type: concept.type,
		article_id: evidence.articleId,
	};
}
