import {
	type CitedSentence,
	daysOf,
	type Graphs,
	toArticleRef,
} from "../../src/evidence/evidence.js";
import { invalidArgument } from "../../src/kernel/kernel.js";
import { type Evidence, runInTurns, type Steps } from "../../src/knowledge/knowledge.js";
import { groupSources } from "../answers/answers.js";
import { toldDateOf } from "./brand-dates.js";
import type { Brand } from "./brand-grouping.js";
import { aliasesOf, BRAND_LIMITS, type FoundBrand, getBrand } from "./brand-index.js";
import { type Linking, type Mention, mentionsByBrand } from "./brand-mentions.js";

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
export async function makeBrandsReady(linking: Linking, clues: readonly string[]): Promise<void> {
	await getBrands(linking.catalog, clues);
	await mentionsByBrand(linking);
}

/** In the order they were asked for. */
export async function readBrands(
	linking: Linking,
	brands: readonly FoundBrand[],
	window: BrandWindow,
): Promise<readonly BrandReading[]> {
	const index = await mentionsByBrand(linking);
	const readings: BrandReading[] = [];
	for (const found of brands) {
		const all = index.get(found.brand) ?? [];
		readings.push({ ...found, mentions: await runInTurns(withinWindow(all, window)) });
	}
	return readings;
}

/** Who it is, without what is said. */
export function toBrandHead(brand: Brand) {
	const { key, name, kind, nodes, products, maker } = brand;
	const identities = nodes.map(({ identity }) => identity);
	const idOf = (register: string) =>
		identities
			.flatMap(({ registryIds }) => registryIds)
			.find((id) => id.startsWith(`${register} `))
			?.slice(register.length + 1) ?? null;
	const domains = new Set(identities.flatMap((identity) => identity.domains));
	const toNamed = (other: Brand) => ({ brand: other.key, name: other.name });
	return {
		id: key,
		name,
		aliases: aliasesOf(brand).slice(0, BRAND_LIMITS.namesMax),
		domains: [...domains].slice(0, BRAND_LIMITS.namesMax),
		kind: nodes[0]?.concept.type ?? "",
		is: kind,
		legal_name: identities.find(({ legalName }) => legalName)?.legalName ?? null,
		tickers: [...new Set(identities.flatMap(({ tickers }) => tickers))],
		exchange: identities.find(({ exchange }) => exchange)?.exchange ?? null,
		cik: idOf("cik"),
		lei: idOf("lei"),
		registry_id: idOf("registry id"),
		maker: maker ? toNamed(maker) : null,
		products: products.map(toNamed).slice(0, BRAND_LIMITS.namesMax),
	};
}

/** Days a reading is of, both inclusive (`YYYY-MM-DD`). */
export interface BrandWindow {
	/** Null: from the beginning, and what no one dates counts too. */
	readonly from: string | null;
	readonly to: string;
}

/** Where a date comes from: the sentence itself, or when its source was published. */
export type DateBasis = "told" | "published";

/** A mention with those of its sources that fall into the window. */
export interface DatedMention extends Mention {
	/** Newest first; those the sentence is cited with. */
	readonly sources: readonly Evidence[];
	/** Day that its text names, where that lies in the window; else that of its newest source; null where there is neither. */
	readonly day: string | null;
	/** The day as precise as it is known. */
	readonly date: string | null;
	readonly basis: DateBasis | null;
	/** False for those beyond BRAND_LIMITS.mentionsRead: they count, and their tone and dangers are not read. */
	readonly isRead: boolean;
}

/**
 * Mentions with a source published in the window, the newest first. A month or year stands for its first day; sources without a
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
		found.push({ ...mention, sentence, sources, ...dateOf(sentence, window) });
	}
	return found
		.sort((a, b) => compareDays(b.day, a.day))
		.map((mention, place) => ({ ...mention, isRead: place < BRAND_LIMITS.mentionsRead }));
}

const DATE_CHARS = { day: 10, month: 7, year: 4 } as const;

function dateOf(
	{ text, sources: [newest] }: CitedSentence,
	{ from, to }: BrandWindow,
): Pick<DatedMention, "day" | "date" | "basis"> {
	const told = toldDateOf(text, to);
	if (told && (from === null || told.day >= from)) return { ...told, basis: "told" };
	const { publishedAt: day, datePrecision = "day" } = newest ?? {};
	if (day === undefined) return { day: null, date: null, basis: null };
	return { day, date: day.slice(0, DATE_CHARS[datePrecision]), basis: "published" };
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
	const { oldest, newest } = daysOf(mentions.map(({ day }) => day ?? undefined));
	const basisOf = (day: string | null) =>
		(day === null ? undefined : mentions.find((mention) => mention.day === day))?.basis ?? null;
	return {
		mentions: mentions.length,
		articles: articlesOf(sources),
		graphs: new Set(mentions.map(({ sentence }) => sentence.graph.record.id)).size,
		sources_independent: groupSources(sources).length,
		first_seen: oldest,
		last_seen: newest,
		first_seen_basis: basisOf(oldest),
		last_seen_basis: basisOf(newest),
		undated: mentions.filter(({ day }) => day === null).length,
	};
}

/** Distinct addresses. */
export function articlesOf(sources: readonly Evidence[]): number {
	const urls = new Set(sources.map(({ sourceUrl }) => sourceUrl));
	return new Set([...urls].map((url) => toArticleRef(url) ?? url)).size;
}
