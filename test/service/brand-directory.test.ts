import t from "tap";
import {
	describeBrand,
	listBrands,
	resolveBrand,
} from "../../skills/brands/brand-directory.operations.js";
import { createGraphCatalog } from "../../src/knowledge/model/catalog.js";
import { emptySearch } from "./empty-search.js";
import { makeConcept, makeGraph } from "./sample-graphs.js";

const node = (id: string, title: string, changes = {}) =>
	makeConcept({ id, path: `${id}.md`, title, type: "Company", ...changes });

const catalog = createGraphCatalog([
	makeGraph({ id: "one" }, [
		node("acme", "ACME Corp.", { aliases: ["acme.example", "AC", "Acme"], tags: ["tools"] }),
		node("cpp", "C++", { type: "product", facts: "domain: cpp.example" }),
		node("c-plus", "C plus plus", { facts: "registry id: 9" }),
		node("nameless", "Nameless"),
		makeConcept(),
	]),
	makeGraph({ id: "two" }, [
		node("acme", "Acme Corp", { type: "Organization", aliases: ["Acme Corporation"] }),
		node("umlaut", "Ümläut", { type: "Brand", facts: "lei: ABC" }),
		node("data-classes", "Data classes", { type: "Entity", aliases: ["Dataclass"] }),
	]),
]);
const linking = { catalog, search: emptySearch };
const idsOf = (page: unknown, field = "brand") =>
	(page as { items: Record<string, string>[] }).items.map((item) => item[field]);

t.test("nodes of one name are one brand, alike keys are distinguished", async (t) => {
	const page = await listBrands(linking, { limit: 10 });
	t.same(idsOf(page), ["acme-corp", "c-plus-plus.one.c-plus", "c-plus-plus.one.cpp", "umlaut"]);
	t.match(page, { items: [{ types: ["Company", "Organization"], graphs: ["one", "two"] }] });
	t.same(idsOf(await listBrands(linking, { limit: 10, graph_id: "two" })), ["acme-corp", "umlaut"]);
	await t.rejects(listBrands(linking, { limit: 10, graph_id: "three" }), { code: "NOT_FOUND" });
});

t.test("a profile has names and numbers, nothing that is for sale", async (t) => {
	const profile = await describeBrand(linking, "ACME-Corp");
	t.match(profile, {
		name: "ACME Corp.",
		aliases: ["acme.example", "AC", "Acme", "Acme Corp", "Acme Corporation"],
		tags: ["tools", "http"],
		nodes: 2,
		coverage: { sources: 1, oldest: "2022-06-01", newest: "2022-06-01" },
	});
	const { summary, body } = makeConcept();
	t.notMatch(JSON.stringify(profile), summary);
	t.notMatch(JSON.stringify(profile), body);
	await t.rejects(describeBrand(linking, "acme-crop"), {
		code: "NOT_FOUND",
		message: /near it acme-corp/,
	});
});

t.test("a brand is found by name, domain and ticker, and no match is an empty list", async (t) => {
	const found = async (clue: object) =>
		(await resolveBrand(catalog, { limit: 3, ...clue })).items.map(
			({ brand, why }) => `${why} ${brand}`,
		);
	t.same(await found({ name: "acme corporation" }), ["alias acme-corp"]);
	t.same(await found({ name: "Umlaut" }), ["exact title umlaut"]);
	t.same(await found({ domain: "https://www.ACME.example/shop?x=1" }), ["domain acme-corp"]);
	t.same(await found({ domain: "umlaut.co.uk" }), ["domain umlaut"]);
	t.same(await found({ ticker: "XETRA:AC" }), ["ticker acme-corp"]);
	t.same(await found({ ticker: "$AC", name: "ACME Corp" }), ["exact title acme-corp"]);
	t.same(await found({ name: "nobody at all" }), []);
	t.same(await found({ domain: "://", ticker: ":" }), []);
});
