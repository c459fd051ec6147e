import { DATE_PRECISIONS } from "../../src/contract/contract.js";
import { createCatalogIndex, refOf, toArticleAddress } from "../../src/evidence/evidence.js";
import type {
	Concept,
	Evidence,
	Graph,
	GraphCatalog,
	Steps,
} from "../../src/knowledge/knowledge.js";
import { createTextFinder, readTexts, type TextFinder } from "../../src/search/search.js";

/** Where an article is cited. */
export interface Citation {
	readonly graph: Graph;
	readonly concept: Concept;
	readonly evidence: Evidence;
}

/** One address that nodes of any graph cite. */
export interface Article {
	readonly ref: string;
	readonly host: string;
	/** The title most nodes give it. */
	readonly title: string;
	/** An address as a node writes it. */
	readonly sourceUrl: string;
	/** By the most exact of its dates; undefined when no one dates it. */
	readonly publishedAt: string | undefined;
	readonly datePrecision: Evidence["datePrecision"];
	/** At least one, by graph and place in it. */
	readonly citations: readonly Citation[];
}

/** All articles of a catalog. */
export interface ArticleIndex {
	/** By ref, in the order in which graphs cite them. */
	readonly articles: ReadonlyMap<string, Article>;
	/** By the words of their titles. */
	readonly finder: TextFinder<Article>;
}

/** The graph of an id, all of them where none is named. Throws NOT_FOUND. */
export function graphsNamed(catalog: GraphCatalog, id: string | undefined): readonly Graph[] {
	return id === undefined ? catalog.list() : [catalog.get(id)];
}

/** Made in turns, once for each revision of a catalog. */
export const articleIndexOf = createCatalogIndex(toArticleIndex);

/** Titles an article is cited under, and addresses, each once. */
export function textsOf({ citations }: Article) {
	return {
		titles: [...new Set(citations.map(({ evidence }) => evidence.title))],
		addresses: [...new Set(citations.map(({ evidence }) => evidence.sourceUrl))],
	};
}

interface Cited {
	readonly host: string;
	readonly citations: Citation[];
}

/** Hashing addresses is the expensive part, so each graph's are kept as long as the graph. */
const citedByGraph = new WeakMap<Graph, ReadonlyMap<string, Cited>>();

function* citedIn(graph: Graph): Steps<ReadonlyMap<string, Cited>> {
	const known = citedByGraph.get(graph);
	if (known) return known;
	const byRef = new Map<string, Cited>();
	for (const concept of graph.concepts) {
		for (const evidence of concept.evidence) addTo(byRef, { graph, concept, evidence });
		yield;
	}
	citedByGraph.set(graph, byRef);
	return byRef;
}

function addTo(byRef: Map<string, Cited>, citation: Citation): void {
	const address = toArticleAddress(citation.evidence.sourceUrl);
	if (!address) return;
	const ref = refOf(address);
	const known = byRef.get(ref);
	if (known) known.citations.push(citation);
	else byRef.set(ref, { host: address.host, citations: [citation] });
}

function* toArticleIndex(graphs: readonly Graph[]): Steps<ArticleIndex> {
	const cited = new Map<string, Cited>();
	for (const graph of graphs) {
		for (const [ref, { host, citations }] of yield* citedIn(graph)) {
			const known = cited.get(ref);
			if (known) known.citations.push(...citations);
			else cited.set(ref, { host, citations: [...citations] });
			yield;
		}
	}
	const articles = new Map<string, Article>();
	for (const [ref, one] of cited) {
		articles.set(ref, toArticle(ref, one));
		yield;
	}
	const texts = yield* readTexts([...articles.values()], (article) => [
		{ text: textsOf(article).titles.join("\n"), weight: 1 },
	]);
	return { articles, finder: yield* createTextFinder(texts) };
}

function toArticle(ref: string, { host, citations }: Cited): Article {
	const evidence = citations.map((citation) => citation.evidence);
	const [dated] = evidence
		.filter(({ publishedAt }) => publishedAt !== undefined)
		.sort((a, b) => exactness(a) - exactness(b) || (dayOf(a) < dayOf(b) ? -1 : 1));
	return {
		ref,
		host,
		title: mostFrequent(evidence.map(({ title }) => title)),
		sourceUrl: evidence[0]?.sourceUrl ?? "",
		publishedAt: dated?.publishedAt,
		datePrecision: dated?.datePrecision,
		citations,
	};
}

const dayOf = ({ publishedAt = "" }: Evidence) => publishedAt;
const exactness = ({ datePrecision = "day" }: Evidence) => DATE_PRECISIONS.indexOf(datePrecision);

/** The first of those that stand there most often. */
function mostFrequent(texts: readonly string[]): string {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	let [best, most] = ["", 0];
	for (const [text, count] of counts) if (count > most) [best, most] = [text, count];
	return best;
}
