import t from "tap";
import { formatCitations } from "../../skills/articles/citations.operations.js";
import { toArticleRef } from "../../src/evidence/sources.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { DOMAIN_GRAPH, makeConcept, makeGraph } from "./sample-graphs.js";

const unicode = ["ä", "ö"].map((letter) =>
	makeConcept({ id: `n.${letter}`, path: `n/${letter}.md`, title: `Node ${letter}` }),
);
const catalog = createGraphCatalog([DOMAIN_GRAPH, makeGraph({ id: "letters" }, unicode)]);
const services = { catalog, baseUrl: () => "https://shop.example" };
const ref = toArticleRef("https://www.rfc-editor.org/rfc/rfc9110") ?? "";
const TREND = "web-payments:concepts.http-402";

t.test("nodes and sources are cited side by side, each once", async (t) => {
	const { items } = await formatCitations(services, {
		trend_ids: [TREND, TREND],
		article_refs: [ref],
		formats: ["apa"],
	});
	t.same(items, [
		{
			id: TREND,
			apa: "HTTP 402. (2026, January 15). In Payments on the web (Version 1.0.0). Sample desk. https://shop.example/v1/graphs/web-payments",
		},
		{
			id: ref,
			apa: "RFC 9110: HTTP Semantics. (2022, June). rfc-editor.org. https://www.rfc-editor.org/rfc/rfc9110",
		},
	]);
});

t.test("keys are apart even where the ids have no letters for them", async (t) => {
	const trend_ids = ["letters:n.ä", "letters:n.ö"];
	const { items } = await formatCitations(services, { trend_ids, formats: ["csl-json", "bibtex"] });
	t.equal(new Set(items.map(({ csl }) => csl?.id)).size, 2);
	t.same(
		items.map(({ id }) => id),
		trend_ids,
	);
	for (const { bibtex } of items) t.match(bibtex, /^@misc\{[\w:.-]+,/);
});

t.test("nothing of what a node says is returned, and unknown ids are refused", async (t) => {
	const all = await formatCitations(services, {
		trend_ids: [TREND],
		formats: ["csl-json", "bibtex", "apa"],
	});
	const { summary, body } = makeConcept();
	t.notMatch(JSON.stringify(all), summary);
	t.notMatch(JSON.stringify(all), body);
	t.notMatch(JSON.stringify(all), "rfc-editor", "its sources are for sale");
	for (const order of [
		{ trend_ids: ["web-payments:moon"] },
		{ trend_ids: ["moon:x"] },
		{ article_refs: [`art_${"0".repeat(20)}`] },
	]) {
		await t.rejects(formatCitations(services, { ...order, formats: ["apa"] }), {
			code: "NOT_FOUND",
		});
	}
});
