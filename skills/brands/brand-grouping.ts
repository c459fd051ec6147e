import { normalizeName } from "../../src/evidence/evidence.js";
import type { Concept, Graph } from "../../src/knowledge/knowledge.js";
import { addToList } from "../entities/entities.js";
import { type BrandIdentity, shortNamesOf } from "./brand-identity.js";

/** Which documents are of one brand, and which brand makes which. */

/** An organization or product that graphs have documents of. */
export interface Brand {
	/** Its name in an address: lower case, words joined by hyphens; with the first graph's id where two would be alike. */
	readonly key: string;
	readonly name: string;
	readonly kind: BrandIdentity["kind"];
	readonly nodes: readonly BrandNode[];
	/** Products of it that are brands themselves, and who makes it. */
	readonly products: readonly Brand[];
	readonly maker: Brand | undefined;
}

export interface BrandNode {
	readonly graph: Graph;
	readonly concept: Concept;
	readonly identity: BrandIdentity;
}

/**
 * Documents of one brand: those with a registry id, domain or legal name in common; one that has none of these joins the only brand of
 * its kind with its title.
 */
export function groupNodes(nodes: readonly BrandNode[]): readonly (readonly BrandNode[])[] {
	const known = nodes.filter((node) => keysOf(node).length > 0);
	const groups = groupByKeys(known);
	const byTitle = new Map<string, BrandNode[][]>();
	for (const group of groups) {
		for (const key of new Set(group.flatMap(titleKeysOf))) addToList(byTitle, key, group);
	}
	const loose: BrandNode[][] = [];
	for (const node of nodes) {
		if (keysOf(node).length > 0) continue;
		const [key = ""] = titleKeysOf(node);
		const [alike, ...others] = byTitle.get(key) ?? [];
		if (alike && others.length === 0) {
			alike.push(node);
			continue;
		}
		const own = [node];
		loose.push(own);
		if (!alike) byTitle.set(key, [own]);
	}
	return [...groups, ...loose].map((group) => group.toSorted((a, b) => weightOf(b) - weightOf(a)));
}

/** The document that a register would recognize names the brand. */
function weightOf({ identity: { legalName, registryIds, domains } }: BrandNode): number {
	return (
		(legalName === undefined ? 0 : 2) + Number(domains.length > 0) + Number(registryIds.length > 0)
	);
}

function keysOf({ identity: { kind, registryIds, domains, legalName } }: BrandNode) {
	return [
		...registryIds,
		...domains.map((domain) => `${kind} domain ${domain}`),
		...(legalName === undefined ? [] : [`${kind} named ${normalizeName(legalName)}`]),
	];
}

function titleKeysOf({ concept: { title }, identity: { kind } }: BrandNode): readonly string[] {
	return [title, ...shortNamesOf(title)].map((name) => `${kind} ${normalizeName(name)}`);
}

function groupByKeys(nodes: readonly BrandNode[]): readonly BrandNode[][] {
	const groups = new Map<string, BrandNode[]>();
	for (const node of nodes) {
		const keys = keysOf(node);
		const joined = new Set(keys.flatMap((key) => [groups.get(key) ?? []]));
		const merged = [...joined].flat();
		merged.push(node);
		for (const key of new Set(merged.flatMap(keysOf))) groups.set(key, merged);
	}
	return [...new Set(groups.values())];
}

export type OpenBrand = { -readonly [Key in keyof Brand]: Brand[Key] };

/** A product names who makes it by a link of type `maker`, `made-by` or `product-of`, or by a path, id or name in its front matter. */
export function linkMakers(brands: readonly OpenBrand[]): void {
	const organizations = placeBrands(brands.filter(({ kind }) => kind === "organization"));
	for (const product of brands) {
		if (product.kind !== "product") continue;
		const places = product.nodes.flatMap(makerPlacesOf);
		const maker = places
			.map((place) => organizations.get(place))
			.find((brand) => brand !== undefined);
		product.maker = maker;
		if (maker) maker.products = [...maker.products, product];
	}
}

/** By the place of each document, and by each name. */
function placeBrands(brands: readonly OpenBrand[]): ReadonlyMap<string, OpenBrand> {
	const places = new Map<string, OpenBrand>();
	for (const brand of brands) {
		for (const { graph, concept, identity } of brand.nodes) {
			const names = [concept.title, identity.legalName ?? "", ...shortNamesOf(concept.title)];
			places.set(`${graph.record.id}:${concept.id}`, brand);
			for (const name of names.map(normalizeName)) if (name !== "") places.set(name, brand);
		}
	}
	return places;
}

const MAKER_EDGES: ReadonlySet<string> = new Set(["maker", "made-by", "product-of"]);

function makerPlacesOf({ graph, concept, identity: { maker = "" } }: BrandNode): readonly string[] {
	const linked = concept.edges.filter(({ type }) => MAKER_EDGES.has(type));
	const [, label = maker, target = maker] = /^\[([^\]]*)\]\(([^)]*)\)$/.exec(maker) ?? [];
	const id = target
		.replace(/^\.?\//, "")
		.replace(/\.md$/i, "")
		.replaceAll("/", ".");
	const ids = [...linked.map((edge) => edge.target), id].filter((one) => one !== "");
	const names = [normalizeName(label)].filter((name) => name !== "");
	return [...ids.map((one) => `${graph.record.id}:${one}`), ...names];
}
