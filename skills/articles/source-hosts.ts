import { daysOf, type Graphs } from "../../src/evidence/evidence.js";
import { compareText, runInTurns, type Steps } from "../../src/knowledge/knowledge.js";
import { type Article, type ArticleIndex, articleIndexOf } from "./article-index.js";

/** A host whose pages graphs cite, in numbers only: no one is judged. */
export interface SourceHost {
	readonly host: string;
	/** Distinct pages. */
	readonly articles: number;
	/** Times a node cites one of them. */
	readonly mentions: number;
	/** Pages no one dates. */
	readonly undated: number;
	readonly oldest: string | null;
	readonly newest: string | null;
	/** In the order of the ids. */
	readonly graphs: readonly GraphShare[];
}

export interface GraphShare {
	readonly graphId: string;
	readonly articles: number;
	readonly mentions: number;
}

const hostsOf = new WeakMap<ArticleIndex, Promise<readonly SourceHost[]>>();

/** In the order of their names; made in turns, once for each revision of a catalog. */
export async function sourceHostsOf(catalog: Graphs): Promise<readonly SourceHost[]> {
	const index = await articleIndexOf(catalog);
	const known = hostsOf.get(index) ?? runInTurns(toSourceHosts(index.articles.values()));
	hostsOf.set(index, known);
	return known;
}

function* toSourceHosts(articles: Iterable<Article>): Steps<readonly SourceHost[]> {
	const byHost = new Map<string, Article[]>();
	for (const article of articles) {
		const known = byHost.get(article.host);
		if (known) known.push(article);
		else byHost.set(article.host, [article]);
		yield;
	}
	const hosts: SourceHost[] = [];
	for (const [host, own] of byHost) hosts.push(yield* toSourceHost(host, own));
	return hosts.sort((a, b) => compareText(a.host, b.host));
}

function* toSourceHost(host: string, articles: readonly Article[]): Steps<SourceHost> {
	const shares = new Map<string, { articles: number; mentions: number }>();
	for (const { citations } of articles) {
		yield;
		const graphIds = citations.map(({ graph }) => graph.record.id);
		for (const id of new Set(graphIds)) {
			const share = shares.get(id) ?? { articles: 0, mentions: 0 };
			share.articles += 1;
			shares.set(id, share);
		}
		for (const id of graphIds) {
			const share = shares.get(id);
			if (share) share.mentions += 1;
		}
	}
	return {
		host,
		articles: articles.length,
		mentions: [...shares.values()].reduce((sum, { mentions }) => sum + mentions, 0),
		undated: articles.filter(({ publishedAt }) => publishedAt === undefined).length,
		...daysOf(articles.map(({ publishedAt }) => publishedAt)),
		graphs: [...shares]
			.map(([graphId, share]) => ({ graphId, ...share }))
			.sort((a, b) => compareText(a.graphId, b.graphId)),
	};
}
