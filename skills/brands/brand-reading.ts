import {
	type CitedSentence,
	daysOf,
	type Graphs,
	toArticleRef,
	toCitedSentences,
} from "../../src/evidence/evidence.js";
import { invalidArgument, memoizeByObject } from "../../src/kernel/kernel.js";
import {
	type Concept,
	type Evidence,
	type Graph,
	runInTurns,
	type Steps,
} from "../../src/knowledge/knowledge.js";
import { groupSources } from "../answers/answers.js";
import { addToList } from "../entities/entities.js";
import {
	aliasesOf,
	BRAND_LIMITS,
	type Brand,
	type BrandForm,
	type BrandIndex,
	type BrandNode,
	brandIndexOf,
	type FoundBrand,
	getBrand,
	wordsIn,
} from "./brand-index.js";

/** One brand and what is said of it in a window. */
export interface BrandReading extends FoundBrand {
	/** All of them, newest first. */
	readonly mentions: readonly DatedMention[];
}

/** A span such as 90d, or days; absent ones are open. */
export type WindowRequest =
	| string
	| { readonly from?: string | undefined; readonly to?: string | undefined }
	| undefined;

const DAY_MS = 86_400_000;
const DAYS_OF = { d: 1, w: 7, m: 30, y: 365 };

/** A span ends today and counts today: 1d is today alone; months have 30 days, years 365. No window ends after today. */
export function toWindow(request: WindowRequest, today: string): BrandWindow {
	if (request === undefined) return { from: null, to: today };
	if (typeof request !== "string") {
		const { from = null, to = today } = request;
		return { from, to: to < today ? to : today };
	}
	const unit = DAYS_OF[request.slice(-1) as keyof typeof DAYS_OF];
	const days = Math.min(Number.parseInt(request, 10) * unit, BRAND_LIMITS.windowDaysMax);
	const from = new Date(Date.parse(today) - (days - 1) * DAY_MS).toISOString().slice(0, 10);
	return { from, to: today };
}

/** Throws NOT_FOUND for the first unknown one, INVALID_ARGUMENT when two names are of one brand. */
export async function getBrands(
	catalog: Graphs,
	clues: readonly string[],
): Promise<readonly FoundBrand[]> {
	const found: FoundBrand[] = [];
	for (const clue of clues) {
		const one = await getBrand(catalog, clue);
		if (found.some(({ brand }) => brand === one.brand)) {
			throw invalidArgument(
				`"${clue.slice(0, 80)}" is ${one.brand.name} once more; name each brand once.`,
			);
		}
		found.push(one);
	}
	return found;
}

/** Reads what is read once for each revision of the catalog, before the payment. Throws as `getBrands` does. */
export async function makeBrandsReady(catalog: Graphs, clues: readonly string[]): Promise<void> {
	await getBrands(catalog, clues);
	await mentionsByBrand(catalog);
}

/** In the order they were asked for. */
export async function readBrands(
	catalog: Graphs,
	brands: readonly FoundBrand[],
	window: BrandWindow,
): Promise<readonly BrandReading[]> {
	const index = await mentionsByBrand(catalog);
	const readings: BrandReading[] = [];
	for (const found of brands) {
		const all = index.get(found.brand) ?? [];
		readings.push({ ...found, mentions: await runInTurns(withinWindow(all, window)) });
	}
	return readings;
}

const DOMAIN = /^(?:[a-z\d-]{1,63}\.)+[a-z]{2,24}$/i;

/** Who it is, without what is said. */
export function toBrandHead(brand: Brand) {
	const { key, name, nodes } = brand;
	const domains = nodes
		.flatMap(({ concept }) => concept.aliases)
		.filter((text) => DOMAIN.test(text))
		.map((text) => text.toLowerCase());
	return {
		id: key,
		name,
		aliases: aliasesOf(brand).slice(0, BRAND_LIMITS.namesMax),
		domains: [...new Set(domains)].slice(0, BRAND_LIMITS.namesMax),
		kind: nodes[0]?.concept.type ?? "",
	};
}

/** A cited sentence about a brand. */
export interface Mention {
	readonly sentence: CitedSentence;
	/** Every brand the sentence names, and whose own it is. */
	readonly brands: readonly Brand[];
}

type MentionIndex = ReadonlyMap<Brand, readonly Mention[]>;

const mentionsOfIndex = memoizeByObject((index: BrandIndex) => runInTurns(toMentionIndex(index)));

/**
 * Every mention of each brand, anywhere in the catalog, in the order of graphs and nodes. Every sentence is read once for
 * each revision of the catalog, in turns; anyone who asks meanwhile waits for the same.
 */
export async function mentionsByBrand(catalog: Graphs): Promise<MentionIndex> {
	return mentionsOfIndex(await brandIndexOf(catalog));
}

/** Names by their first word. */
type FirstWords = ReadonlyMap<string, readonly NamedForm[]>;
interface NamedForm {
	readonly form: BrandForm;
	readonly brand: Brand;
	/** As it is written, for names of one word: "Apple" is no apple. */
	readonly written: string | undefined;
}

function* toMentionIndex(index: BrandIndex): Steps<MentionIndex> {
	const forms = toFirstWords(index);
	const owners = new Map(
		index.brands.flatMap((brand) => brand.nodes.map(({ concept }) => [concept, brand])),
	);
	const found = new Map<Brand, Mention[]>();
	for (const graph of index.graphs) {
		for (const concept of graph.concepts) {
			yield;
			for (const mention of mentionsIn({ graph, concept }, forms, owners.get(concept))) {
				for (const brand of mention.brands) addToList(found, brand, mention);
			}
		}
	}
	return found;
}

/** A document that names no sources is no mention by anyone else. */
export function toSourcedSentences(graph: Graph, concept: Concept): readonly CitedSentence[] {
	return concept.evidence.length === 0 ? [] : toCitedSentences(graph, concept);
}

function mentionsIn(
	{ graph, concept }: BrandNode,
	forms: FirstWords,
	owner: Brand | undefined,
): readonly Mention[] {
	if (!owner && !mayName(concept, forms)) return [];
	return toSourcedSentences(graph, concept).map((sentence) => {
		const named = namedIn(sentence.text, forms);
		return { sentence, brands: [...(owner ? named.add(owner) : named)] };
	});
}

function toFirstWords({ formsOf }: BrandIndex): FirstWords {
	const byWord = new Map<string, NamedForm[]>();
	for (const [brand, forms] of formsOf) {
		for (const form of forms) {
			const [first = "", ...rest] = form.words;
			const [written = ""] = wordsIn(form.text);
			const isProper = rest.length === 0 && written !== first;
			addToList(byWord, first, { form, brand, written: isProper ? written : undefined });
		}
	}
	return byWord;
}

/** Cheaply, for most nodes name no one: a first word of a name stands somewhere in the text. */
function mayName({ summary, body }: Concept, forms: FirstWords): boolean {
	return wordsIn(`${summary} ${body}`).some((word) => forms.has(word.toLowerCase()));
}

function namedIn(text: string, forms: FirstWords): Set<Brand> {
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

/** Days a reading is of, both inclusive (`YYYY-MM-DD`). */
export interface BrandWindow {
	/** Null: from the beginning, and what no one dates counts too. */
	readonly from: string | null;
	readonly to: string;
}

/** A mention with those of its sources that fall into the window. */
export interface DatedMention extends Mention {
	/** Newest first; those the sentence is cited with. */
	readonly sources: readonly Evidence[];
	/** Day of the newest of them; null where none is dated. */
	readonly day: string | null;
	/** False for those beyond BRAND_LIMITS.mentionsRead: they count, and their tone and dangers are not read. */
	readonly isRead: boolean;
}

/**
 * Mentions with a source published in the window, newest first. A month or year stands for its first day; sources without a
 * date are in a window without a beginning alone.
 */
function* withinWindow(
	mentions: readonly Mention[],
	window: BrandWindow,
): Steps<readonly DatedMention[]> {
	const found: Omit<DatedMention, "isRead">[] = [];
	for (const mention of mentions) {
		yield;
		const sentence = sentenceWithin(mention.sentence, window);
		if (!sentence) continue;
		const { sources } = sentence;
		found.push({ ...mention, sentence, sources, day: sources[0]?.publishedAt ?? null });
	}
	return found
		.sort((a, b) => compareDays(b.day, a.day))
		.map((mention, place) => ({ ...mention, isRead: place < BRAND_LIMITS.mentionsRead }));
}

/** A sentence with those of its sources that fall into the window, newest first; undefined where none does. */
export function sentenceWithin(
	sentence: CitedSentence,
	{ from, to }: BrandWindow,
): CitedSentence | undefined {
	const sources = sentence.sources
		.filter(({ publishedAt }) =>
			publishedAt === undefined
				? from === null
				: publishedAt <= to && (from === null || publishedAt >= from),
		)
		.sort((a, b) => compareDays(b.publishedAt ?? null, a.publishedAt ?? null));
	return sources.length > 0 ? { ...sentence, sources } : undefined;
}

/** What those say that are read. */
export function textsRead(mentions: readonly DatedMention[]): readonly string[] {
	return mentions.flatMap(({ isRead, sentence }) => (isRead ? [sentence.text] : []));
}

/** Undated before dated. */
function compareDays(a: string | null, b: string | null): number {
	const [one, other] = [a ?? "", b ?? ""];
	return one < other ? -1 : one > other ? 1 : 0;
}

export function measureFootprint(mentions: readonly DatedMention[]) {
	const sources = mentions.flatMap((mention) => mention.sources);
	const { oldest, newest } = daysOf(sources.map(({ publishedAt }) => publishedAt));
	return {
		mentions: mentions.length,
		articles: articlesOf(sources),
		graphs: new Set(mentions.map(({ sentence }) => sentence.graph.record.id)).size,
		sources_independent: groupSources(sources).length,
		first_seen: oldest,
		last_seen: newest,
		undated: mentions.filter(({ day }) => day === null).length,
	};
}

/** Distinct addresses. */
export function articlesOf(sources: readonly Evidence[]): number {
	const urls = new Set(sources.map(({ sourceUrl }) => sourceUrl));
	return new Set([...urls].map((url) => toArticleRef(url) ?? url)).size;
}
