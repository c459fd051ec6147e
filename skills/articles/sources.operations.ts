import { z } from "zod";
import {
	catalogPageQuery,
	dataOperation,
	EVIDENCE_LIMITS,
	isoDayField,
	replyComponent,
	replyList,
	type Services,
} from "../../src/contract/contract.js";
import { daysOf, findNearNames } from "../../src/evidence/evidence.js";
import { memoizeByObject, notFound } from "../../src/kernel/kernel.js";
import {
	compareText,
	type GraphCatalog,
	runInTurns,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import { toPage } from "../graphs/graphs.js";
import { type Article, type ArticleIndex, articleIndexOf } from "./article-index.js";

const listQuery = z.strictObject(catalogPageQuery);
const counts = {
	host: z.string().describe("Lower case, without www."),
	articles: z.int().describe("Distinct pages"),
	mentions: z.int().describe("Times a node cites one of them"),
	undated: z.int().describe("Pages nobody dates"),
	oldest: isoDayField.nullable().describe("Day of the oldest dated page"),
	newest: isoDayField.nullable(),
};
const sourceSchema = replyComponent(
	"Source",
	z.object({ ...counts, graphs: z.array(z.string()).describe("Graphs that cite it") }),
);
const sourceListSchema = replyList("SourceList", sourceSchema);
const sourceDetailSchema = replyComponent(
	"SourceDetail",
	z.object({
		...counts,
		graphs: z.array(z.object({ graph_id: z.string(), articles: z.int(), mentions: z.int() })),
	}),
);

/** Hosts the graphs' evidence is from. Additive to the contract. */
export const sourceList = dataOperation({
	id: "sources.list",
	at: "GET /v1/sources",
	summary: "Hosts that are cited",
	description:
		"Every host whose pages the graphs cite, in the order of the names, in numbers only. Nobody is scored.",
	query: listQuery,
	isList: true,
	freshness: "catalog",
	data: sourceListSchema,
	answer: ({ catalog }: Pick<Services, "catalog">, { query }) => listSources(catalog, query),
	example: { query: { limit: "50" } },
});

/** One of these hosts. Additive to the contract. */
export const source = dataOperation({
	id: "sources.get",
	at: "GET /v1/sources/{host}",
	summary: "One cited host",
	description: "The same of one host, with the share of each graph.",
	params: z.strictObject({
		host: z.string().trim().min(1).max(EVIDENCE_LIMITS.hostChars).describe("host of a list"),
	}),
	freshness: "catalog",
	data: sourceDetailSchema,
	answer: ({ catalog }: Pick<Services, "catalog">, { params }) => getSource(catalog, params.host),
	example: { params: { host: "eips.ethereum.org" } },
});

/**
 * Hosts whose pages the graphs cite, in the order of their names; which pages is for sale. Throws INVALID_ARGUMENT for a
 * cursor of another list, NOT_FOUND for an unknown graph.
 */
export async function listSources(
	catalog: GraphCatalog,
	{ graph_id: graphId, limit, cursor }: z.output<typeof listQuery>,
) {
	if (graphId !== undefined) catalog.assertKnown(graphId);
	const page = toPage("sources", { graph_id: graphId ?? null, limit, cursor }, 1);
	const [after = ""] = page.after ?? [];
	const rest = (await sourceHostsOf(catalog)).filter(
		({ host, graphs }) =>
			host > after && (graphId === undefined || graphs.some(({ graph_id: id }) => id === graphId)),
	);
	const shown = rest.slice(0, limit);
	const last = shown.at(-1);
	return {
		items: shown.map((source) => ({ ...source, graphs: source.graphs.map((one) => one.graph_id) })),
		next_cursor: page.next(rest.length > limit, last && [last.host]),
	};
}

/** Throws NOT_FOUND, with near names. */
export async function getSource(catalog: GraphCatalog, name: string): Promise<SourceHost> {
	const wanted = name.toLowerCase().replace(/^www\./, "");
	const hosts = await sourceHostsOf(catalog);
	const found = hosts.find(({ host }) => host === wanted);
	if (found) return found;
	const names = hosts.map(({ host }) => host);
	const near = await findNearNames(wanted, names);
	const hint = near.length === 0 ? "GET /v1/sources lists them" : `near it ${near.join(", ")}`;
	throw notFound(`No graph cites the host "${name.slice(0, 80)}"; ${hint}.`);
}

type SourceHost = z.infer<typeof sourceDetailSchema>;

const hostsOfIndex = memoizeByObject(({ articles }: ArticleIndex) =>
	runInTurns(toSourceHosts(articles.values())),
);

/** In the order of their names; computed in turns, once for each revision of a catalog. */
async function sourceHostsOf(catalog: GraphCatalog): Promise<readonly SourceHost[]> {
	return hostsOfIndex(await articleIndexOf(catalog));
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
		const counted = new Set<string>();
		for (const { graph } of citations) {
			const { id } = graph.record;
			const share = shares.get(id) ?? { articles: 0, mentions: 0 };
			if (!counted.has(id)) share.articles += 1;
			share.mentions += 1;
			counted.add(id);
			shares.set(id, share);
		}
	}
	return {
		host,
		articles: articles.length,
		mentions: articles.reduce((sum, { citations }) => sum + citations.length, 0),
		undated: articles.filter(({ publishedAt }) => publishedAt === undefined).length,
		...daysOf(articles.map(({ publishedAt }) => publishedAt)),
		graphs: [...shares]
			.map(([id, share]) => ({ graph_id: id, ...share }))
			.sort((a, b) => compareText(a.graph_id, b.graph_id)),
	};
}
