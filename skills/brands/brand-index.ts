import {
	createCatalogIndex,
	findNearNames,
	type Graphs,
	normalizeName,
} from "../../src/evidence/evidence.js";
import { notFound, type ServiceError } from "../../src/kernel/kernel.js";
import {
	type Concept,
	compareText,
	type Graph,
	type GraphCatalog,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import { isStopWord } from "../../src/search/search.js";
import { addToList, type NameEntry, type NameIndex, toNameIndex } from "../entities/entities.js";

/** How much of a brand one call reads and returns. */
export const BRAND_LIMITS = {
	compareWithMax: 5,
	comparedMax: 6,
	/** Days a window may reach back. */
	windowDaysMax: 36_525,
	/** Sentences read of one brand in a window, the newest; more are counted, not read. */
	mentionsRead: 2_000,
	/** Names one node may add to what a brand is known by. */
	namesPerNode: 50,
	namesMax: 50,
	evidencePerItem: 5,
	signalsMax: 20,
	trendsMax: 20,
	risksMax: 10,
	coMentionsMax: 20,
	graphsMax: 100,
	signalsListed: 100,
	sourcesListed: 200,
	/** From so many mentions on figures are returned without a warning. */
	smallSample: 30,
	bucketsMax: 60,
} as const;

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

/** One way in which sentences name a brand. */
export interface BrandForm {
	/** As it is written there. */
	readonly text: string;
	/** Lower case, at least one. */
	readonly words: readonly string[];
}

export interface BrandIndex {
	readonly graphs: readonly Graph[];
	/** In the order of the keys. */
	readonly brands: readonly Brand[];
	readonly byKey: ReadonlyMap<string, Brand>;
	readonly names: NameIndex<Brand>;
	/** What sentences name each brand by. */
	readonly formsOf: ReadonlyMap<Brand, readonly BrandForm[]>;
	/** By normalized form. */
	readonly byForm: ReadonlyMap<string, readonly Brand[]>;
}

/** The brand of a name, and others that are called so too. */
export interface FoundBrand {
	readonly brand: Brand;
	readonly others: readonly Brand[];
}

/** Types of node that are brands, in either case. */
const BRAND_TYPES: ReadonlySet<string> = new Set(
	"entity organization organisation company brand product".split(" "),
);

/** Whether a node stands for an organization, product or the like. */
function isBrandNode({ type, title }: Concept): boolean {
	return BRAND_TYPES.has(type.toLowerCase()) && normalizeName(title) !== "";
}

/** Built in turns, once for each revision of a catalog. */
export const brandIndexOf = createCatalogIndex(toBrandIndex);

function* toBrandIndex(graphs: readonly Graph[]): Steps<BrandIndex> {
	const byName = new Map<string, BrandNode[]>();
	for (const graph of graphs) {
		for (const concept of graph.concepts) {
			yield;
			if (isBrandNode(concept)) addToList(byName, normalizeName(concept.title), { graph, concept });
		}
	}
	const bySlug = new Map<string, BrandNode[][]>();
	for (const nodes of byName.values()) addToList(bySlug, slugOf(titleOf(nodes)), nodes);
	const brands = [...bySlug]
		.flatMap(([slug, alike]) =>
			alike.map((nodes) => {
				const key = alike.length === 1 ? slug : apart(slug, nodes);
				return { key, name: titleOf(nodes), nodes };
			}),
		)
		.sort((a, b) => compareText(a.key, b.key));
	const formsOf = new Map<Brand, readonly BrandForm[]>();
	const byForm = new Map<string, Brand[]>();
	for (const brand of brands) {
		yield;
		const forms = toForms(brand);
		formsOf.set(brand, forms);
		for (const { words } of forms) addToList(byForm, words.join(" "), brand);
	}
	const byKey = new Map(brands.map((brand) => [brand.key, brand]));
	const names = yield* toNameIndex(entriesOf(brands));
	return { graphs, brands, byKey, names, formsOf, byForm };
}

function titleOf([first]: readonly BrandNode[]): string {
	return first?.concept.title ?? "";
}

/** A slug holds no dot, and a graph has one node of an id. */
function apart(slug: string, [first]: readonly BrandNode[]): string {
	return `${slug}.${first?.graph.record.id}.${first?.concept.id}`;
}

function slugOf(title: string): string {
	const spelled = title.replaceAll("+", " plus ").replaceAll("#", " sharp ");
	return normalizeName(spelled).replaceAll(" ", "-");
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

const WORDS = /[\p{L}\p{N}+#]+/gu;

/** Words of a text as they are written, marks taken off. */
export function wordsIn(text: string): readonly string[] {
	const plain = text.normalize("NFKD").replace(/\p{M}+/gu, "");
	return plain.match(WORDS) ?? [];
}

const inLowerCase = (words: readonly string[]) => words.map((word) => word.toLowerCase());

/**
 * What a brand is named by: its titles, these without what stands in brackets, what stands there, its other names, and the
 * last part of a node's id where the title holds it ("Apple" of "Apple in the exploited list"). Stop words and single
 * characters name nothing.
 */
function toForms({ nodes }: Brand): readonly BrandForm[] {
	const forms = new Map<string, BrandForm>();
	for (const node of nodes) {
		for (const text of textsOf(node).slice(0, BRAND_LIMITS.namesPerNode)) {
			const words = inLowerCase(wordsIn(text));
			const key = words.join(" ");
			if (key.length < 2 || words.every(isStopWord) || forms.has(key)) continue;
			forms.set(key, { text, words });
		}
	}
	return [...forms.values()];
}

function textsOf({ concept: { id, title, aliases } }: BrandNode): readonly string[] {
	const bare = title.replace(/\s*\([^()]*\)\s*/g, " ").trim();
	const inside = [...title.matchAll(/\(([^()]*)\)/g)].map(([, text = ""]) => text);
	const stem = inLowerCase(wordsIn(id.slice(id.lastIndexOf(".") + 1)));
	return [title, bare, ...inside, ...stemIn(title, stem), ...aliases];
}

/** The stem as the title writes it; none where the title does not hold it. */
function stemIn(title: string, stem: readonly string[]): readonly string[] {
	const words = wordsIn(title);
	const lower = inLowerCase(words);
	const at = lower.findIndex((_, start) =>
		stem.every((word, next) => lower[start + next] === word),
	);
	return stem.length === 0 || at < 0 ? [] : [words.slice(at, at + stem.length).join(" ")];
}

/** Throws NOT_FOUND, with near names. */
export async function getBrand(catalog: Graphs, clue: string): Promise<FoundBrand> {
	const index = await brandIndexOf(catalog);
	const found = findBrand(index, clue);
	if (found) return found;
	const forms = [...index.formsOf.values()].flatMap((own) => own.map(({ text }) => text));
	throw noSuchBrand(clue, await findNearNames(clue, new Set([...index.byKey.keys(), ...forms])));
}

/** The brand of a key, name, other name, domain or ticker symbol; undefined when no one is called just so. */
function findBrand(index: BrandIndex, clue: string): FoundBrand | undefined {
	const byKey = index.byKey.get(clue.trim().toLowerCase());
	if (byKey) return { brand: byKey, others: [] };
	// What has spaces is neither: "a history of fruit: Apple" asks for no share.
	const isOneWord = !/\s/.test(clue.trim());
	const tickers = isOneWord ? namesInTicker(clue) : [];
	const domains = isOneWord && clue.includes(".") ? namesInDomain(clue) : [];
	for (const name of new Set([clue, ...tickers, ...domains])) {
		const [brand, ...others] = calledSo(index, name);
		if (brand) return { brand, others };
	}
	return undefined;
}

const KINDS = ["title", "alias", "identifier"];

/** Titles before other names, brands of many nodes before those of few. */
function calledSo({ names, byForm }: BrandIndex, name: string): readonly Brand[] {
	const called = [...names.called(name)].sort(
		(a, b) =>
			KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.named.nodes.length - a.named.nodes.length,
	);
	const formed = byForm.get(normalizeName(name)) ?? [];
	return [...new Set([...called.map(({ named }) => named), ...formed])];
}

export function noSuchBrand(clue: string, near: readonly string[]): ServiceError {
	const hint = near.length === 0 ? "GET /v1/brands lists them" : `near it ${near.join(", ")}`;
	return notFound(`No brand is called "${clue.slice(0, 80)}"; ${hint}.`);
}

/** The domain itself, then what is left without its ending: `www.example.co.uk` is perhaps called Example. */
export function namesInDomain(domain: string): readonly string[] {
	const [, host = ""] = /^(?:[a-z][a-z\d+.-]*:\/\/)?([^/?#]*)/i.exec(domain.trim()) ?? [];
	const labels = host
		.replace(/:\d+$/, "")
		.replace(/^www\./i, "")
		.split(".")
		.filter((label) => label !== "");
	const ownAt = labels.length > 2 && (labels.at(-2)?.length ?? 0) <= 3 ? -3 : -2;
	const own = labels.at(ownAt);
	return [labels.join("."), ...(own === undefined ? [] : [own])];
}

/** As written, then the symbol alone: `NASDAQ:AAPL`, `$AAPL`. */
export function namesInTicker(ticker: string): readonly string[] {
	const [symbol = ""] = /[^:$]*$/.exec(ticker.trim()) ?? [];
	return [...new Set([ticker, symbol])];
}

/** What a brand is called beside its name, each once. */
export function aliasesOf({ name, nodes }: Brand): readonly string[] {
	const all = nodes.flatMap(({ concept: { title, aliases } }) => [title, ...aliases]);
	return [...new Set(all)].filter((other) => other !== name);
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
