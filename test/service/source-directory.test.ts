import t from "tap";
import { getSource, listSources } from "../../skills/articles/sources.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import type { Evidence } from "../../src/knowledge/model/graph.js";
import { makeConcept, makeGraph } from "./sample-graphs.js";

const source = (sourceUrl: string, publishedAt?: string): Evidence => ({
	articleId: sourceUrl,
	title: "A page",
	sourceUrl,
	publishedAt,
	datePrecision: publishedAt === undefined ? undefined : "day",
});
const citing = (id: string, ...evidence: Evidence[]) =>
	makeConcept({ id, path: `${id}.md`, evidence });

const catalog = createGraphCatalog([
	makeGraph({ id: "one" }, [
		citing(
			"a",
			source("https://www.example.org/page/", "2024-05-01"),
			source("https://example.org/other?utm_source=x&b=1", "2020-01-01"),
		),
		citing("b", source("http://example.org/page#part"), source("https://zeta.example:8443/")),
	]),
	makeGraph({ id: "two" }, [citing("c", source("https://EXAMPLE.org/other?b=1"))]),
]);

t.test("a host's pages are counted once however they are addressed", async (t) => {
	const page = await listSources(catalog, { limit: 10 });
	t.same(page, {
		items: [
			{
				host: "example.org",
				articles: 2,
				mentions: 4,
				undated: 0,
				oldest: "2020-01-01",
				newest: "2024-05-01",
				graphs: ["one", "two"],
			},
			{
				host: "zeta.example:8443",
				articles: 1,
				mentions: 1,
				undated: 1,
				oldest: null,
				newest: null,
				graphs: ["one"],
			},
		],
		next_cursor: null,
	});
});

t.test("one host gets the share of each graph, a wrong one gets near ones", async (t) => {
	t.match(await getSource(catalog, "WWW.example.org"), {
		graphs: [
			{ graph_id: "one", articles: 2, mentions: 3 },
			{ graph_id: "two", articles: 1, mentions: 1 },
		],
	});
	await t.rejects(getSource(catalog, "example.com"), {
		code: "NOT_FOUND",
		message: /example\.org/,
	});
});

t.test("a graph that changes is counted again", async (t) => {
	const changing = createGraphCatalog([makeGraph({ id: "one" }, [citing("a")])]);
	t.match(await listSources(changing, { limit: 5 }), { items: [] });
	changing.put({
		...makeGraph({ id: "one" }, [citing("a", source("https://new.example/x"))]),
		contentHash: "changed".padEnd(64, "0"),
	});
	t.match(await listSources(changing, { limit: 5 }), { items: [{ host: "new.example" }] });
});
