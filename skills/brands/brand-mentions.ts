import type { SkillServices } from "../../src/contract/contract.js";
import {
	type CitedSentence,
	type Graphs,
	titled,
	toCitedSentences,
	toEvidencePassages,
} from "../../src/evidence/evidence.js";
import { ServiceError } from "../../src/kernel/kernel.js";
import { type Concept, type Graph, runInTurns, type Steps } from "../../src/knowledge/knowledge.js";
import type { JudgedSearch, WordKnowledge } from "../../src/search/search.js";
import { addToList } from "../entities/entities.js";
import type { Brand } from "./brand-grouping.js";
import { type BrandIndex, brandIndexOf, wordsIn } from "./brand-index.js";
import {
	type Clues,
	CONTEXT_LEAST,
	contextOf,
	LEAD_LEAST,
	type Profiles,
	readClues,
	scoreOf,
	textToCompare,
	toProfiles,
} from "./brand-linking.js";
import { createNameFinder, type FoundName, type NameFinder } from "./brand-names.js";

/** A cited sentence about brands. */
export interface Mention {
	readonly sentence: CitedSentence;
	/** Every brand the sentence is linked to, with how surely it is meant, 0..1. */
	readonly links: ReadonlyMap<Brand, BrandLink>;
}

export interface BrandLink {
	readonly score: number;
	/** What made it: a name in the sentence, or that the sentence stands in the brand's own document. */
	readonly by: "name" | "own document";
}

export type MentionIndex = ReadonlyMap<Brand, readonly Mention[]>;

/** What links names to brands beside the graphs themselves. */
export interface Linking {
	readonly catalog: Graphs;
	readonly search: { readonly embedder: TextEmbedder | undefined } & WordKnowledge;
}
type TextEmbedder = Pick<NonNullable<JudgedSearch["embedder"]>, "embed">;

export type BrandServices = Pick<SkillServices, "catalog" | "search" | "clock">;

const latest = new WeakMap<BrandIndex, WeakMap<object, Promise<MentionIndex>>>();

/**
 * Every mention of each brand, anywhere in the catalog, in the order of graphs and documents. Every sentence is read once for
 * each revision of the catalog, in turns; anyone who asks meanwhile waits for the same. Where the encoder fails words are
 * compared, and the next caller has it tried again.
 */
export async function mentionsByBrand({ catalog, search }: Linking): Promise<MentionIndex> {
	const index = await brandIndexOf(catalog);
	const known = latest.get(index) ?? new WeakMap<object, Promise<MentionIndex>>();
	latest.set(index, known);
	const made = known.get(search) ?? link(index, search, () => known.delete(search));
	known.set(search, made);
	return made;
}

async function link(
	index: BrandIndex,
	search: Linking["search"],
	forget: () => void,
): Promise<MentionIndex> {
	try {
		const named = await runInTurns(findNamed(index, search));
		const { profiles, vectors, isWhole } = await compare(index, search.embedder, named);
		if (!isWhole) forget();
		return await runInTurns(decide(named, profiles, vectors));
	} catch (error) {
		forget();
		throw error;
	}
}

/** A sentence that may be about brands: whose document it stands in, and what it names. */
interface NamedSentence {
	readonly sentence: CitedSentence;
	readonly owner: Brand | undefined;
	readonly clues: readonly Clues[];
}

function* findNamed(index: BrandIndex, words: WordKnowledge): Steps<readonly NamedSentence[]> {
	const finder = createNameFinder(index);
	const isOrdinary = yield* readOrdinaryWords(index, finder);
	const needsContext = createContextTest(
		index,
		(word) => isOrdinary(word) || words.isCommonWord(word),
	);
	const owners = new Map(
		index.brands.flatMap((brand) => brand.nodes.map(({ concept }) => [concept, brand])),
	);
	const read = (graph: Graph, concept: Concept): readonly NamedSentence[] => {
		const owner = owners.get(concept);
		if (!owner && !mayName(concept, finder)) return [];
		const all = toSourcedSentences(graph, concept).map((sentence) => {
			const names = finder.find(sentence.text);
			const clues = names.map((name) =>
				readClues(sentence, name, name.brand !== owner && needsContext(name)),
			);
			return { sentence, owner, clues };
		});
		return owner ? all : all.filter(({ clues }) => clues.length > 0);
	};
	const found: NamedSentence[] = [];
	for (const graph of index.graphs) {
		for (const concept of graph.concepts) {
			yield;
			found.push(...read(graph, concept));
		}
	}
	return found;
}

/** Whether a name says too little by itself: it is that of several brands, or one word that is a common one as well. */
function createContextTest(
	{ byForm }: BrandIndex,
	isCommonWord: (word: string) => boolean,
): (name: FoundName) => boolean {
	return ({ form: { kind, words }, isDistinct }) => {
		const [word = "", ...others] = words;
		if ((byForm.get(words.join(" "))?.length ?? 0) > 1) return true;
		if (kind === "domain" || others.length > 0 || isDistinct) return false;
		return isCommonWord(word);
	};
}

/** A document that names no sources is no mention by anyone else. */
export function toSourcedSentences(graph: Graph, concept: Concept): readonly CitedSentence[] {
	return concept.evidence.length === 0 ? [] : toCitedSentences(graph, concept);
}

/** Cheaply, for most documents name no one: a first word of a name stands somewhere in the text. */
function mayName({ summary, body }: Concept, { firstWords }: NameFinder): boolean {
	const text = `${summary} ${body}`;
	return text.includes("$") || wordsIn(text).some((word) => firstWords.has(word.toLowerCase()));
}

/** So often a word in lower case makes it an ordinary one. */
const ORDINARY_USES = 3;
/** Words in lower case that are no part of an address, a path or an identifier. */
const LOWER_WORD = /(?<![\p{L}\p{N}./@_-])\p{Ll}+(?![\p{L}\p{N}/@_-]|\.\p{L})/gu;

/** Which first words of names the graphs use without a capital. */
function* readOrdinaryWords({ graphs }: BrandIndex, { firstWords }: NameFinder) {
	const uses = new Map<string, number>();
	for (const { concepts } of graphs) {
		for (const { summary, body } of concepts) {
			yield;
			for (const [word] of `${summary}\n${body}`.matchAll(LOWER_WORD)) {
				if (firstWords.has(word)) uses.set(word, (uses.get(word) ?? 0) + 1);
			}
		}
	}
	return (word: string) => (uses.get(word) ?? 0) >= ORDINARY_USES;
}

/** Context from signs alone that no nearness would change much. */
const CLEAR_CONTEXT = 0.9;

function isOpen(clues: Clues): boolean {
	return clues.isCommon && contextOf(clues, undefined) < CLEAR_CONTEXT;
}

const PROFILE_PASSAGES = 3;
const EMBEDDED_AT_ONCE = 32;

/** What a brand's own documents begin with. */
function profileOf({ nodes }: Brand): readonly string[] {
	const passages = nodes.flatMap(({ graph, concept }) =>
		toEvidencePassages(graph, concept).map(({ text }) => titled([concept.title], [text])),
	);
	const [first] = nodes;
	const own = first ? [titled([first.concept.title], [first.concept.summary])] : [];
	return [...new Set([...own, ...passages])].slice(0, PROFILE_PASSAGES);
}

interface Compared {
	readonly profiles: Profiles;
	/** Of sentences that hold an open name. */
	readonly vectors: ReadonlyMap<NamedSentence, Float32Array>;
	/** False where there is an encoder and it failed. */
	readonly isWhole: boolean;
}

async function compare(
	{ brands }: BrandIndex,
	embedder: TextEmbedder | undefined,
	named: readonly NamedSentence[],
): Promise<Compared> {
	const open = named.filter(({ clues }) => clues.some(isOpen));
	const none = { profiles: toProfiles(new Map(), profileOf), vectors: new Map() };
	if (!embedder || open.length === 0) return { ...none, isWhole: true };
	const embed = async (texts: readonly string[]) => {
		const vectors: Float32Array[] = [];
		for (let from = 0; from < texts.length; from += EMBEDDED_AT_ONCE) {
			vectors.push(
				...(await embedder.embed(texts.slice(from, from + EMBEDDED_AT_ONCE), "passage")),
			);
		}
		return vectors;
	};
	try {
		const texts = brands.map((brand) => ({ brand, passages: profileOf(brand) }));
		const ofPassages = await embed(texts.flatMap(({ passages }) => passages));
		const ofSentences = await embed(open.map(({ sentence }) => textToCompare(sentence)));
		let from = 0;
		const byBrand = new Map(
			texts.map(({ brand, passages }) => {
				from += passages.length;
				return [brand, ofPassages.slice(from - passages.length, from)];
			}),
		);
		const vectors = new Map(
			open.flatMap((one, at) => (ofSentences[at] ? [[one, ofSentences[at]]] : [])),
		);
		return { profiles: toProfiles(byBrand, profileOf), vectors, isWhole: true };
	} catch (error) {
		// What it failed with is in the status, for the operator.
		if (error instanceof ServiceError) return { ...none, isWhole: false };
		throw error;
	}
}

function* decide(
	named: readonly NamedSentence[],
	profiles: Profiles,
	vectors: Compared["vectors"],
): Steps<MentionIndex> {
	const found = new Map<Brand, Mention[]>();
	for (const one of named) {
		yield;
		const { sentence, owner, clues } = one;
		const text = textToCompare(sentence);
		const links = new Map<Brand, BrandLink>();
		const candidates = clues.map((clue): Candidate => {
			const { brand } = clue.name;
			const nearness = isOpen(clue)
				? profiles.nearnessTo(brand, text, vectors.get(one))
				: undefined;
			const context = contextOf(clue, nearness);
			return { clue, context, score: scoreOf(clue, context) };
		});
		for (const candidate of candidates) {
			const { brand } = candidate.clue.name;
			if (!isMeant(candidate, candidates)) continue;
			const score = Math.max(links.get(brand)?.score ?? 0, candidate.score);
			links.set(brand, { score, by: "name" });
		}
		if (owner && !links.has(owner)) links.set(owner, { score: 1, by: "own document" });
		for (const brand of links.keys()) addToList(found, brand, { sentence, links });
	}
	return found;
}

interface Candidate {
	readonly clue: Clues;
	readonly context: number;
	readonly score: number;
}

/** A common word means a brand only in its context, and of several brands at one place only the one that is clearly ahead. */
function isMeant({ clue, context }: Candidate, all: readonly Candidate[]): boolean {
	if (!clue.isCommon) return true;
	if (context < CONTEXT_LEAST) return false;
	const { brand, at, chars } = clue.name;
	return all.every(
		({ clue: { name }, context: other }) =>
			name.brand === brand ||
			name.at !== at ||
			name.chars !== chars ||
			context - other >= LEAD_LEAST,
	);
}
