import { findNearNames, type Graphs, normalizeName } from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { runInTurns, type Steps } from "../../src/knowledge/knowledge.js";
import { isStopWord } from "../../src/search/search.js";
import { type Brand, type BrandIndex, type BrandNode, brandIndexOf } from "./brand-index.js";
import { BRAND_LIMITS } from "./brand-limits.js";

/** One way in which sentences name a brand. */
export interface BrandForm {
	/** As it is written there. */
	readonly text: string;
	/** Lower case, at least one. */
	readonly words: readonly string[];
}

/** The brand somebody means, and others that are called so too. */
export interface FoundBrand {
	readonly brand: Brand;
	readonly others: readonly Brand[];
}

const WORDS = /[\p{L}\p{N}+#]+/gu;

/** Words of a text as they are written, marks taken off. */
export function wordsIn(text: string): readonly string[] {
	const plain = text.normalize("NFKD").replace(/\p{M}+/gu, "");
	return plain.match(WORDS) ?? [];
}

/**
 * What a brand is named by: its titles, these without what stands in brackets, what stands there, its other names, and the
 * last part of a node's id where the title holds it ("Apple" of "Apple in the exploited list"). Stop words and single
 * characters name nothing.
 */
function formsOf({ nodes }: Brand): readonly BrandForm[] {
	const forms = new Map<string, BrandForm>();
	for (const node of nodes) {
		for (const text of textsOf(node).slice(0, BRAND_LIMITS.namesPerNode)) {
			const words = wordsIn(text).map((word) => word.toLowerCase());
			const key = words.join(" ");
			if (key.length < 2 || words.every(isStopWord) || forms.has(key)) continue;
			forms.set(key, { text, words });
		}
	}
	return [...forms.values()];
}

/** Names that look like a domain. */
export function domainsOf(brand: Brand): readonly string[] {
	const isDomain = (text: string) => /^(?:[a-z\d-]{1,63}\.)+[a-z]{2,24}$/i.test(text);
	const aliases = brand.nodes.flatMap(({ concept }) => concept.aliases);
	return [...new Set(aliases.filter(isDomain).map((text) => text.toLowerCase()))];
}

function textsOf({ concept: { id, title, aliases } }: BrandNode): readonly string[] {
	const bare = title.replace(/\s*\([^()]*\)\s*/g, " ").trim();
	const inside = [...title.matchAll(/\(([^()]*)\)/g)].map(([, text = ""]) => text);
	const stem = wordsIn(id.slice(id.lastIndexOf(".") + 1)).map((word) => word.toLowerCase());
	return [title, bare, ...inside, ...stemIn(title, stem), ...aliases];
}

/** The stem as the title writes it; none where the title does not hold it. */
function stemIn(title: string, stem: readonly string[]): readonly string[] {
	const words = wordsIn(title);
	const lower = words.map((word) => word.toLowerCase());
	const at = lower.findIndex((_, start) =>
		stem.every((word, next) => lower[start + next] === word),
	);
	return stem.length === 0 || at < 0 ? [] : [words.slice(at, at + stem.length).join(" ")];
}

/** How brands are named, worked out once for each revision of a catalog. */
export interface BrandNames {
	readonly index: BrandIndex;
	readonly formsOf: ReadonlyMap<Brand, readonly BrandForm[]>;
	/** By normalized name. */
	readonly byForm: ReadonlyMap<string, readonly Brand[]>;
}

const namesByIndex = new WeakMap<BrandIndex, Promise<BrandNames>>();

/** Made in turns; anyone who asks meanwhile waits for the same. */
export async function brandNamesOf(catalog: Graphs): Promise<BrandNames> {
	const index = await brandIndexOf(catalog);
	const known = namesByIndex.get(index) ?? runInTurns(toBrandNames(index));
	namesByIndex.set(index, known);
	return known;
}

function* toBrandNames(index: BrandIndex): Steps<BrandNames> {
	const forms = new Map<Brand, readonly BrandForm[]>();
	const byForm = new Map<string, Brand[]>();
	for (const brand of index.brands) {
		yield;
		const own = formsOf(brand);
		forms.set(brand, own);
		for (const { words } of own) {
			const key = words.join(" ");
			const known = byForm.get(key);
			if (known) known.push(brand);
			else byForm.set(key, [brand]);
		}
	}
	return { index, formsOf: forms, byForm };
}

/** The brand of a key, name, other name, domain or ticker symbol; undefined when no one is called just so. */
export async function findBrand(catalog: Graphs, clue: string): Promise<FoundBrand | undefined> {
	const names = await brandNamesOf(catalog);
	const byKey = names.index.byKey.get(clue.trim().toLowerCase());
	if (byKey) return { brand: byKey, others: [] };
	const clues = new Set([clue, ...namesInTicker(clue)]);
	if (clue.includes(".")) for (const name of namesInDomain(clue)) clues.add(name);
	for (const name of clues) {
		const [brand, ...others] = calledSo(names, name);
		if (brand) return { brand, others };
	}
	return undefined;
}

const KINDS = ["title", "alias", "identifier"];

/** Titles before other names, brands of many nodes before those of few. */
function calledSo({ index, byForm }: BrandNames, name: string): readonly Brand[] {
	const called = [...index.names.called(name)].sort(
		(a, b) =>
			KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || b.named.nodes.length - a.named.nodes.length,
	);
	const brands = new Set(called.map(({ named }) => named));
	for (const brand of byForm.get(normalizeName(name)) ?? []) brands.add(brand);
	return [...brands];
}

/** Names written like one that no brand has, best first. */
export async function nearBrands(catalog: Graphs, clue: string): Promise<readonly string[]> {
	const { index, formsOf: forms } = await brandNamesOf(catalog);
	const names = [...forms.values()].flatMap((own) => own.map(({ text }) => text));
	return findNearNames(clue, new Set([...index.byKey.keys(), ...names]));
}

export function noSuchBrand(clue: string, near: readonly string[]): ServiceError {
	const hint = near.length === 0 ? "GET /v1/brands lists them" : `near it ${near.join(", ")}`;
	return new ServiceError("NOT_FOUND", `No brand is called "${clue.slice(0, 80)}"; ${hint}.`);
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
