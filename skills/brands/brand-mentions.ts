import { type CitedSentence, type Graphs, toCitedSentences } from "../../src/evidence/evidence.js";
import { type Concept, type Graph, runInTurns, type Steps } from "../../src/knowledge/knowledge.js";
import type { Brand } from "./brand-index.js";
import { type BrandForm, type BrandNames, brandNamesOf, wordsIn } from "./brand-names.js";

/** A cited sentence about a brand. */
export interface Mention {
	readonly sentence: CitedSentence;
	/** False for sentences of the brand's own nodes that speak of it without naming it. */
	readonly isNamed: boolean;
	/** Every brand the sentence names, and whose own it is. */
	readonly brands: readonly Brand[];
}

type MentionIndex = ReadonlyMap<Brand, readonly Mention[]>;

const indexes = new WeakMap<BrandNames, Promise<MentionIndex>>();

/**
 * Every mention of each brand, anywhere in the catalog, in the order of graphs and nodes. Every sentence is read once for
 * each revision of the catalog, in turns; whoever asks meanwhile waits for the same.
 */
export async function mentionsOf(
	catalog: Graphs,
	brands: readonly Brand[],
): Promise<readonly (readonly Mention[])[]> {
	const graphs = catalog.list();
	const names = await brandNamesOf(catalog);
	const known = indexes.get(names) ?? runInTurns(toMentionIndex(graphs, names));
	indexes.set(names, known);
	const index = await known;
	return brands.map((brand) => index.get(brand) ?? []);
}

/** Names by their first word. */
type FirstWords = ReadonlyMap<string, readonly NamedForm[]>;
interface NamedForm {
	readonly form: BrandForm;
	readonly brand: Brand;
	/** As it is written, for names of one word: "Apple" is no apple. */
	readonly written: string | undefined;
}

function* toMentionIndex(graphs: readonly Graph[], names: BrandNames): Steps<MentionIndex> {
	const forms = toFirstWords(names);
	const owners = ownersOf(names);
	const found = new Map<Brand, Mention[]>();
	for (const graph of graphs) {
		for (const concept of graph.concepts) {
			yield;
			const owner = owners.get(concept);
			if (!owner && !mayName(concept, forms)) continue;
			for (const sentence of toCitedSentences(graph, concept)) {
				addMention(found, sentence, { owner, named: namedIn(sentence.text, forms) });
			}
		}
	}
	return found;
}

function ownersOf({ index: { brands } }: BrandNames): ReadonlyMap<Concept, Brand> {
	return new Map(
		brands.flatMap((brand) => brand.nodes.map(({ concept }) => [concept, brand] as const)),
	);
}

function addMention(
	found: Map<Brand, Mention[]>,
	sentence: CitedSentence,
	{ owner, named }: { readonly owner: Brand | undefined; readonly named: ReadonlySet<Brand> },
): void {
	const brands = owner && !named.has(owner) ? [...named, owner] : [...named];
	for (const brand of brands) {
		const known = found.get(brand) ?? [];
		found.set(brand, known);
		known.push({ sentence, isNamed: named.has(brand), brands });
	}
}

function toFirstWords({ formsOf }: BrandNames): FirstWords {
	const byWord = new Map<string, NamedForm[]>();
	for (const [brand, forms] of formsOf) {
		for (const form of forms) {
			const [first = "", ...rest] = form.words;
			const [written = ""] = wordsIn(form.text);
			const isProper = rest.length === 0 && written !== first;
			const named = { form, brand, written: isProper ? written : undefined };
			byWord.set(first, [...(byWord.get(first) ?? []), named]);
		}
	}
	return byWord;
}

/** Cheaply, for most nodes name nobody: a first word of a name stands somewhere in the text. */
function mayName({ summary, body }: Concept, forms: FirstWords): boolean {
	return wordsIn(`${summary} ${body}`).some((word) => forms.has(word.toLowerCase()));
}

function namedIn(text: string, forms: FirstWords): ReadonlySet<Brand> {
	const named = new Set<Brand>();
	const written = wordsIn(text);
	const words = written.map((word) => word.toLowerCase());
	for (const [at, word] of words.entries()) {
		for (const candidate of forms.get(word) ?? []) {
			const { form, brand } = candidate;
			if (named.has(brand) || !isWrittenSo(written[at] ?? "", candidate)) continue;
			if (form.words.every((part, next) => words[at + next] === part)) named.add(brand);
		}
	}
	return named;
}

const SHORT_NAME_CHARS = 3;

/** Names of one word with a capital are found with one; short ones just as they are written. */
function isWrittenSo(word: string, { written }: NamedForm): boolean {
	if (written === undefined) return true;
	return written.length <= SHORT_NAME_CHARS ? word === written : word !== word.toLowerCase();
}
