import t from "tap";
import {
	article,
	articleMentions,
	articleSearch,
} from "../../skills/articles/articles.operations.js";
import { toArticleRef } from "../../src/evidence/sources.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Evidence } from "../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "../service/sample-graphs.js";
import { boundSkill } from "../support/bound-skill.js";
import { manualClock } from "../support/manual-clock.js";
import { ask } from "./asked-skill.js";

const source = (articleId: string, sourceUrl: string, title: string, more = {}): Evidence => ({
	articleId,
	title,
	sourceUrl,
	publishedAt: undefined,
	datePrecision: undefined,
	...more,
});
const PAPER = "https://arxiv.org/abs/1234.5678";
const year = { publishedAt: "2023-01-01", datePrecision: "year" };
const day = { publishedAt: "2023-06-05", datePrecision: "day" };
const citing = (id: string, ...evidence: Evidence[]) =>
	makeConcept({ id, path: `${id}.md`, title: `Node ${id}`, evidence });

const catalog = createGraphCatalog([
	makeGraph({ id: "one" }, [
		citing("a", source("s1", `${PAPER}#abs`, "Sparse retrieval", year)),
		citing(
			"b",
			source("x", `${PAPER}?utm_campaign=z`, "Sparse retrieval, revisited", day),
			source("y", "https://example.org/tides", "Tides and harbours"),
		),
	]),
	makeGraph({ id: "two" }, [
		citing("c", source("s1", `http://www.${PAPER.slice(8)}/`, "Sparse retrieval")),
	]),
]);
const deps = { catalog, clock: manualClock("2026-06-01T00:00:00Z") };

interface Item {
	readonly article_ref: string;
	readonly trend_id: string;
}
interface Page {
	readonly data: { readonly items: readonly Item[] };
	readonly meta: { readonly next_cursor: string | null };
}
const search = ask<Page>(boundSkill(articleSearch, deps));
const read = ask<{ data: Record<string, unknown> }>(boundSkill(article, deps));
const mentions = ask<Page>(boundSkill(articleMentions, deps));
const ref = toArticleRef(PAPER) ?? "";

t.test("one address is one article, however it is cited", async (t) => {
	const { data } = await read({ article_ref: ref });
	t.match(data, {
		article_ref: ref,
		title: "Sparse retrieval",
		host: "arxiv.org",
		published_at: "2023-06-05",
		date_precision: "day",
		graphs: ["one", "two"],
		mentions: 3,
		titles: ["Sparse retrieval", "Sparse retrieval, revisited"],
	});
	await t.rejects(read({ article_ref: `art_${"0".repeat(20)}` }), { code: "NOT_FOUND" });
});

t.test(
	"articles are found by their titles, narrowed, and not sold when there is none",
	async (t) => {
		const found = async (query: string, more = {}) =>
			(await search({ query, ...more })).data.items.map(({ article_ref }) => article_ref);
		t.same(await found("retrieval revisited"), [ref]);
		t.same(await found("sparse", { graph_id: "two" }), [ref]);
		t.same(await found("tides", { graph_id: "two" }), []);
		t.same(await found("sparse", { host: "WWW.arxiv.org" }), [ref]);
		t.same(await found("sparse", { host: "example.org" }), []);
		t.same(await found("sparse", { published_after: "2023-06-05" }), [ref]);
		t.same(await found("tides", { published_before: "2030-01-01" }), []);
		t.equal((await search({ query: "nothing of the kind" })).kind, "no-answer");
		await t.rejects(search({ query: "x", graph_id: "nowhere" }), { code: "NOT_FOUND" });
	},
);

t.test("an article of one graph is what that graph says of it", async (t) => {
	const { data } = await search({ query: "sparse", graph_id: "two" });
	t.match(data.items, [
		{
			source_url: "http://www.arxiv.org/abs/1234.5678/",
			published_at: null,
			date_precision: null,
			graphs: ["two"],
			mentions: 1,
		},
	]);
	t.equal((await search({ query: "revisited", graph_id: "two" })).kind, "no-answer");
	t.match((await search({ query: "sparse" })).data.items, [{ graphs: ["one", "two"] }]);
});

t.test("mentions come by trend id, page by page", async (t) => {
	const first = await mentions({ article_ref: ref, limit: 2 });
	t.same(
		first.data.items.map(({ trend_id }) => trend_id),
		["one:a", "one:b"],
	);
	const second = await mentions({ article_ref: ref, limit: 2, cursor: first.meta.next_cursor });
	t.match(second, { data: { items: [{ trend_id: "two:c" }] }, meta: { next_cursor: null } });
});

t.test("what is no web address is no article", (t) => {
	t.equal(toArticleRef("urn:isbn:123"), undefined);
	t.equal(toArticleRef("https://"), undefined);
	t.equal(toArticleRef("not an address"), undefined);
	t.equal(toArticleRef("https://example.org/A"), toArticleRef("http://www.EXAMPLE.org:80/A/#x"));
	t.not(toArticleRef("https://example.org/A"), toArticleRef("https://example.org/a"));
	t.not(toArticleRef("https://example.org/A?p=1"), toArticleRef("https://example.org/A?p=2"));
	t.end();
});
