import {
	createCatalogIndex,
	findNearNames,
	type Graphs,
	normalizeName,
} from "../../src/evidence/evidence.js";
import { memoizeByObject, notFound, type ServiceError } from "../../src/kernel/kernel.js";
import { compareText, type Graph, type Steps } from "../../src/knowledge/knowledge.js";
import { isStopWord } from "../../src/search/search.js";
import { addToList, type NameEntry, type NameIndex, toNameIndex } from "../entities/entities.js";
import {
	type Brand,
	type BrandNode,
	groupNodes,
	linkMakers,
	type OpenBrand,
} from "./brand-grouping.js";
import { readBrandIdentity, shortNamesOf } from "./brand-identity.js";

/** How much of a brand one call reads and returns. */
export const BRAND_LIMITS = {
	compareWithMax: 5,
	comparedMax: 6,
	/** Days a window may reach back. */
	windowDaysMax: 36_525,
	/** Mentions of one brand in a window that are read and listed, the newest; more are counted. */
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

/** Below these a brand is not sold: too little is said of it, or too few owners of sources say it. */
export const BRAND_MENTIONS_LEAST = 10;
export const BRAND_OWNERS_LEAST = 3;

/** One way in which sentences name a brand. */
export interface BrandForm {
	readonly kind: "name" | "legal name" | "domain" | "ticker";
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

/** Built in turns, once for each revision of a catalog. */
export const brandIndexOf = createCatalogIndex(toBrandIndex);

function* toBrandIndex(graphs: readonly Graph[]): Steps<BrandIndex> {
	const nodes: BrandNode[] = [];
	for (const graph of graphs) {
		for (const concept of graph.concepts) {
			yield;
			const identity = readBrandIdentity(concept);
			if (identity) nodes.push({ graph, concept, identity });
		}
	}
	const bySlug = new Map<string, BrandNode[][]>();
	for (const own of groupNodes(nodes)) addToList(bySlug, slugOf(titleOf(own)), own);
	const brands = [...bySlug]
		.flatMap(([slug, alike]) =>
			alike.map((own): OpenBrand => {
				const key = alike.length === 1 ? slug : apart(slug, own);
				const kind = own[0]?.identity.kind ?? "organization";
				return { key, name: titleOf(own), kind, nodes: own, products: [], maker: undefined };
			}),
		)
		.sort((a, b) => compareText(a.key, b.key));
	linkMakers(brands);
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
		for (const { identity } of named.nodes) {
			const { legalName = "", aliases, domains, tickers, registryIds } = identity;
			const ids = registryIds.map((id) => id.slice(id.lastIndexOf(" ") + 1));
			for (const text of [
				legalName,
				...aliases,
				...shortNamesOf(named.name),
				...shortNamesOf(legalName),
			])
				yield { text, kind: "alias", named };
			for (const text of [...domains, ...tickers, ...ids]) yield { text, kind: "alias", named };
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
 * What a brand is named by: its titles and legal names, these without what stands in brackets and without what it is by law, what stands
 * in brackets, its other names, its domains and symbols. Stop words, single characters and words without a capital name no brand.
 */
function toForms({ nodes }: Brand): readonly BrandForm[] {
	const forms = new Map<string, BrandForm>();
	for (const node of nodes) {
		for (const { text, kind } of textsOf(node).slice(0, BRAND_LIMITS.namesPerNode)) {
			const words = inLowerCase(wordsIn(text));
			const key = words.join(" ");
			const isName =
				kind === "domain" || (key !== wordsIn(text).join(" ") && !words.every(isStopWord));
			if (key.length < 2 || !isName || forms.has(key)) continue;
			forms.set(key, { kind, text, words });
		}
	}
	return [...forms.values()];
}

function textsOf({ concept: { title }, identity }: BrandNode): readonly Omit<BrandForm, "words">[] {
	const bare = title.replace(/\s*\([^()]*\)\s*/g, " ").trim();
	const inside = [...title.matchAll(/\(([^()]*)\)/g)].map(([, text = ""]) => text);
	const { legalName = "", aliases, domains, tickers } = identity;
	// A symbol is one, also where it is listed among the names.
	const others = aliases.filter((alias) => !tickers.includes(alias));
	const short = [bare, legalName, ...others].flatMap(shortNamesOf);
	const isLegal = (text: string) => shortNamesOf(text).length > 0 && wordsIn(text).length > 1;
	return [
		...[title, bare, legalName]
			.filter(isLegal)
			.map((text) => ({ kind: "legal name" as const, text })),
		...[title, bare, ...inside, ...others, ...short].map((text) => ({
			kind: "name" as const,
			text,
		})),
		...domains.map((text) => ({ kind: "domain" as const, text })),
		...tickers
			.filter(({ length }) => length >= TICKER_CHARS_LEAST)
			.map((text) => ({ kind: "ticker" as const, text })),
	];
}

/** Shorter symbols name a brand only behind "$" or the name of an exchange. */
const TICKER_CHARS_LEAST = 3;

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
	const all = nodes.flatMap(({ concept: { title, aliases }, identity: { legalName = title } }) => [
		title,
		legalName,
		...aliases,
	]);
	return [...new Set(all)].filter((other) => other !== name);
}

/** The brand that most documents link to and are about, as an example that is likely sold; undefined where there is none. */
const examplesOf = memoizeByObject((graphs: readonly Graph[]): readonly string[] => {
	const found = graphs.flatMap((graph) => {
		const linked = new Map<string, number>();
		for (const { edges } of graph.concepts) {
			for (const { target } of edges) linked.set(target, (linked.get(target) ?? 0) + 1);
		}
		return graph.concepts
			.filter((concept) => readBrandIdentity(concept) !== undefined)
			.map(({ id, title, evidence }) => ({
				title,
				weight: (linked.get(id) ?? 0) + evidence.length,
			}));
	});
	return found.sort((a, b) => b.weight - a.weight).map(({ title }) => title);
});

const EXAMPLES = ["Apple", "Visa"] as const;

/** A brand that exists, wherever one does. */
export function exampleBrand(catalog: Graphs, place: 0 | 1 = 0): string {
	return examplesOf(catalog.list())[place] ?? EXAMPLES[place];
}

/** Whether the graphs have documents of so many brands. */
export function hasBrands(catalog: Graphs, least: 1 | 2 = 1): boolean {
	return examplesOf(catalog.list()).length >= least;
}
