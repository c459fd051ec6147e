import { createCatalogIndex, normalizeName } from "../../src/evidence/evidence.js";
import {
	type Concept,
	compareText,
	type Graph,
	type GraphCatalog,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import { type NameEntry, type NameIndex, toNameIndex } from "../entities/entities.js";

/** An organization, product or the like that graphs have nodes of. */
export interface Brand {
	/** Its name in an address: lower case, words joined by hyphens; with the first graph's id where two would be alike. */
	readonly key: string;
	readonly name: string;
	readonly nodes: readonly BrandNode[];
}

export interface BrandNode {
	readonly graph: Graph;
	readonly concept: Concept;
}

export interface BrandIndex {
	/** In the order of the keys. */
	readonly brands: readonly Brand[];
	readonly byKey: ReadonlyMap<string, Brand>;
	readonly names: NameIndex<Brand>;
}

/** Types of node that are brands, in either case. */
const BRAND_TYPES: ReadonlySet<string> = new Set(
	"entity organization organisation company brand product".split(" "),
);

/** Whether a node stands for an organization, product or the like. */
function isBrandNode({ type, title }: Pick<Concept, "type" | "title">): boolean {
	return BRAND_TYPES.has(type.toLowerCase()) && normalizeName(title) !== "";
}

/** Made in turns, once for each revision of a catalog. */
export const brandIndexOf = createCatalogIndex(toBrandIndex);

function* toBrandIndex(graphs: readonly Graph[]): Steps<BrandIndex> {
	const byName = new Map<string, BrandNode[]>();
	for (const graph of graphs) {
		for (const concept of graph.concepts) {
			yield;
			if (!isBrandNode(concept)) continue;
			const name = normalizeName(concept.title);
			byName.set(name, [...(byName.get(name) ?? []), { graph, concept }]);
		}
	}
	const named = [...byName.values()].map((nodes) => ({ nodes, slug: slugOf(titleOf(nodes)) }));
	const bySlug = countBy(named.map(({ slug }) => slug));
	const brands = named
		.map(({ nodes, slug }) => {
			const isAlone = bySlug.get(slug) === 1;
			return { key: isAlone ? slug : apart(slug, nodes), name: titleOf(nodes), nodes };
		})
		.sort((a, b) => compareText(a.key, b.key));
	const byKey = new Map(brands.map((brand) => [brand.key, brand]));
	return { brands, byKey, names: yield* toNameIndex(entriesOf(brands)) };
}

function titleOf([first]: readonly BrandNode[]): string {
	return first?.concept.title ?? "";
}

/** A slug holds no dot, and a graph has one node of an id. */
function apart(slug: string, [first]: readonly BrandNode[]): string {
	return `${slug}.${first?.graph.record.id}.${first?.concept.id}`;
}

function slugOf(title: string): string {
	return normalizeName(title.replaceAll("+", " plus ").replaceAll("#", " sharp ")).replaceAll(
		" ",
		"-",
	);
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
	const counts = new Map<string, number>();
	for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
	return counts;
}

function* entriesOf(brands: readonly Brand[]): Iterable<NameEntry<Brand>> {
	for (const named of brands) {
		yield { text: named.name, kind: "title", named };
		yield { text: named.key, kind: "identifier", named };
		for (const { concept } of named.nodes) {
			for (const text of concept.aliases) yield { text, kind: "alias", named };
		}
	}
}

const EXAMPLES = ["Linux kernel", "Model Context Protocol (MCP)"] as const;

/** A brand that exists and is spoken of wherever one is. */
export function exampleBrand(catalog: GraphCatalog, place: 0 | 1 = 0): string {
	const titles = titlesOf(catalog, place);
	return titles.includes(EXAMPLES[place]) ? EXAMPLES[place] : (titles[place] ?? EXAMPLES[place]);
}

/** Whether the graphs say something of so many brands. */
export function hasBrands(catalog: GraphCatalog, least: 1 | 2 = 1): boolean {
	return titlesOf(catalog, 1).length >= least;
}

/** Titles of brands that something carries: the wanted one alone where there is such, else the first ones. */
function titlesOf(catalog: GraphCatalog, place: 0 | 1): readonly string[] {
	const titles = new Set<string>();
	for (const { concepts } of catalog.list()) {
		for (const concept of concepts) {
			if (!isBrandNode(concept) || concept.evidence.length === 0) continue;
			if (titles.size < 2 || concept.title === EXAMPLES[place]) titles.add(concept.title);
		}
	}
	return [...titles];
}
