import t from "tap";
import { toGraphSlice } from "../../src/knowledge/exports/json-ld.js";
import { graphOf, TIDES } from "./sample-bundle.js";

const baseUrl = "https://knowledge.example";

t.test("the slice describes the graph and samples the best connected concepts", async (t) => {
	const slice = toGraphSlice(graphOf(TIDES), { baseUrl, limit: 2 });
	t.match(slice, {
		"@id": "https://knowledge.example/v1/graphs/tides",
		"@type": ["schema:Dataset", "schema:DefinedTermSet", "dcat:Dataset"],
		identifier: "tides",
		hasDefinedTerm: [
			{
				termCode: "tides:cycles.spring",
				citation: [{ url: "https://example.org/spring-tide", datePublished: "2018-08" }],
				wasDerivedFrom: ["https://example.org/spring-tide"],
			},
			{ termCode: "tides:phases.high", mentions: [`${baseUrl}/v1/graphs/tides#cycles.spring`] },
		],
	});
});

t.test("bodies are for sale: none leaves, and never more than five concepts", async (t) => {
	t.notMatch(JSON.stringify(toGraphSlice(graphOf(TIDES), { baseUrl })), "SECRET BODY");
	const many = Object.fromEntries(
		Array.from({ length: 9 }, (_, index) => [
			`c${index}.md`,
			`---\ntype: X\nsources: ["https://example.org/${index}"]\n---\n`,
		]),
	);
	const slice = toGraphSlice(graphOf(many), { baseUrl, limit: 100 });
	t.equal((slice["hasDefinedTerm"] as unknown[]).length, 5);
});

t.test(
	"every term is defined in the inline context, so that expansion needs no network",
	async (t) => {
		const slice = toGraphSlice(graphOf(TIDES), { baseUrl });
		const context = slice["@context"] as Record<string, unknown>;
		const keysOf = (value: unknown): readonly string[] => {
			if (Array.isArray(value)) return value.flatMap(keysOf);
			if (typeof value !== "object" || value === null) return [];
			return Object.entries(value).flatMap(([key, inner]) => [
				...(key === "@type"
					? [inner].flat().map((type) => String(type).split(":")[0] ?? "")
					: [key]),
				...(key === "@context" ? [] : keysOf(inner)),
			]);
		};
		const unknown = keysOf(slice).filter((key) => !key.startsWith("@") && !(key in context));
		t.same(unknown, []);
		for (const term of Object.values(context)) {
			const iri = typeof term === "string" ? term : (term as { "@id": string })["@id"];
			t.ok(iri.startsWith("http") || (iri.split(":")[0] ?? "") in context, iri);
		}
	},
);

t.test("the same graph gives the same slice", async (t) => {
	const make = () => JSON.stringify(toGraphSlice(graphOf(TIDES), { baseUrl }));
	t.equal(make(), make());
});
