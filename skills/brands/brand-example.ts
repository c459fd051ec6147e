import type { GraphCatalog } from "../../src/knowledge/knowledge.js";
import { isBrandNode } from "./brand-index.js";

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
