// @ts-expect-error The package brings no types.
import jsonld from "jsonld";
import t from "tap";
import { readGraph } from "../../src/knowledge/bundle/bundle-folder.js";
import { toCroissant } from "../../src/knowledge/exports/croissant.js";
import { toCatalogDataset, toGraphSlice } from "../../src/knowledge/exports/json-ld.js";

const SCHEMA = "https://schema.org/";
const DCAT = "http://www.w3.org/ns/dcat#";
const baseUrl = "https://api.example.org";

/** Contexts are written out, so nothing may be fetched. */
const documentLoader = async (url: string): Promise<never> => {
	throw new Error(`The document asked for ${url}.`);
};

type Node = Record<string, unknown>;
const graph = await readGraph("graphs/agent-payments");

t.test(
	"a slice expands to absolute terms, each known to schema.org, DCAT, PROV or Dublin Core",
	async (t) => {
		const [node] = (await jsonld.expand(toGraphSlice(graph, { baseUrl }), {
			documentLoader,
		})) as unknown as Node[];
		t.same(node?.["@id"], `${baseUrl}/v1/graphs/agent-payments`);
		const terms = new Set<string>();
		const walk = (value: unknown) => {
			if (Array.isArray(value)) return value.forEach(walk);
			if (typeof value !== "object" || value === null) return undefined;
			for (const [key, inner] of Object.entries(value)) {
				if (!key.startsWith("@")) terms.add(key);
				walk(inner);
			}
			return undefined;
		};
		walk(node);
		t.ok(terms.size > 12);
		for (const term of terms) {
			t.match(
				term,
				/^(https:\/\/schema\.org|http:\/\/www\.w3\.org\/ns\/(dcat|prov)#|http:\/\/purl\.org\/dc\/terms)/,
			);
		}
	},
);

t.test("a frame finds the sampled concepts with their sources", async (t) => {
	const framed = (await jsonld.frame(
		toGraphSlice(graph, { baseUrl }),
		{
			"@context": { "@vocab": SCHEMA },
			"@type": "DefinedTerm",
			citation: { "@type": "Article" },
		},
		{ documentLoader },
	)) as { "@graph": { name: string; citation: unknown }[] };
	t.equal(framed["@graph"].length, 5);
	for (const { name, citation } of framed["@graph"]) {
		t.ok(
			graph.concepts.some(({ title }) => title === name),
			name,
		);
		t.ok(citation);
	}
});

t.test("every node is a subject of triples: nothing is lost to a missing term", async (t) => {
	const slice = toGraphSlice(graph, { baseUrl });
	const triples = (await jsonld.toRDF(slice, { documentLoader })) as unknown as {
		subject: { value: string };
		predicate: { value: string };
	}[];
	const terms = slice["hasDefinedTerm"] as { "@id": string }[];
	for (const { "@id": id } of terms) {
		const own = triples.filter(({ subject }) => subject.value === id);
		for (const name of ["name", "description", "termCode"]) {
			t.ok(
				own.some(({ predicate }) => predicate.value === `${SCHEMA}${name}`),
				`${id} ${name}`,
			);
		}
	}
});

t.test("the catalog frames as one DCAT catalog with a data set for every graph", async (t) => {
	const others = await readGraph("graphs/python-evolution");
	const dataset = toCatalogDataset([graph, others], { baseUrl, name: "Sample" });
	const framed = (await jsonld.frame(
		dataset,
		{
			"@context": { dcat: DCAT, schema: SCHEMA },
			"@type": "dcat:Catalog",
			"dcat:dataset": { "@type": "dcat:Dataset" },
		},
		{ documentLoader },
	)) as { "dcat:dataset": { "schema:identifier": string }[] };
	t.same(framed["dcat:dataset"].map((one) => one["schema:identifier"]).sort(), [
		"agent-payments",
		"python-evolution",
	]);
});

t.test(
	"a data set card says where each field of the lists is read, by Croissant 1.0",
	async (t) => {
		const card = toCroissant(graph, { baseUrl });
		const [node] = (await jsonld.expand(card, { documentLoader })) as unknown as Node[];
		t.same(node?.["@type"], [`${SCHEMA}Dataset`]);
		t.match(node?.["http://purl.org/dc/terms/conformsTo"], [
			{ "@value": "http://mlcommons.org/croissant/1.0" },
		]);
		const fields = (card["recordSet"] as { "@id": string; field: Node[] }[]).flatMap(
			({ field }) => field,
		);
		const files = (card["distribution"] as Node[]).map((file) => file["@id"]);
		for (const field of fields) {
			const source = field["source"] as { fileObject: Node; extract: { jsonPath: string } };
			t.ok(files.includes(source.fileObject["@id"]));
			t.match(source.extract.jsonPath, /^\$\.data\.items\[\*\]\.[a-z_]+$/);
		}
		t.equal(fields.length, 8);
		t.match(card, { url: `${baseUrl}/v1/graphs/agent-payments`, isLiveDataset: true });
	},
);
