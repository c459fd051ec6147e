import { addToList } from "../entities/entities.js";
import type { Brand } from "./brand-grouping.js";
import { type BrandForm, type BrandIndex, wordsIn } from "./brand-index.js";

/** A name that stands in a text. */
export interface FoundName {
	readonly brand: Brand;
	readonly form: BrandForm;
	/** Place of its first character. */
	readonly at: number;
	readonly chars: number;
	/** Whether it is written just as the brand writes it, with capitals or digits that no ordinary word has. */
	readonly isDistinct: boolean;
}

export interface NameFinder {
	find(text: string): readonly FoundName[];
	/** First words of names, lower case. */
	readonly firstWords: ReadonlySet<string>;
}

/** Finds every name of every brand, a longer name before those it holds: "Apple Music" names its maker too, "Apple Records" does not. */
export function createNameFinder({ formsOf }: Pick<BrandIndex, "formsOf">): NameFinder {
	const byFirst = new Map<string, { readonly brand: Brand; readonly form: BrandForm }[]>();
	for (const [brand, forms] of formsOf) {
		for (const form of forms) addToList(byFirst, form.words[0] ?? "", { brand, form });
	}
	return {
		firstWords: new Set(byFirst.keys()),
		find(text) {
			const words = [...text.matchAll(WORD)];
			const found: FoundName[] = [];
			for (const [place, [word]] of words.entries()) {
				for (const { brand, form } of byFirst.get(plain(word).toLowerCase()) ?? []) {
					const name = nameAt(text, words, { place, brand, form });
					if (name) found.push(name);
				}
			}
			return withoutParts([...found, ...tickersIn(text, formsOf.keys())]);
		},
	};
}

const WORD = /[\p{L}\p{N}\p{M}+#]+/gu;
const ASCII_WORD = /^[A-Za-z\d+#]+$/;
/** Every word of the catalog comes here, and few have marks to take off. */
const plain = (word: string) => (ASCII_WORD.test(word) ? word : wordsIn(word).join(""));

function nameAt(
	text: string,
	words: readonly RegExpExecArray[],
	{
		place,
		brand,
		form,
	}: { readonly place: number; readonly brand: Brand; readonly form: BrandForm },
): FoundName | undefined {
	const own = words.slice(place, place + form.words.length);
	const [first, last] = [own[0], own.at(-1)];
	if (!first || !last || own.length < form.words.length) return undefined;
	const written = wordsIn(form.text);
	const read = own.map(([word]) => plain(word));
	const isSame = read.every((word, at) => isWrittenSo(word, written[at] ?? "", form.kind));
	const end = last.index + last[0].length;
	const between = text.slice(first.index, end);
	// A name does not go on behind the end of a sentence or a bracket.
	if (!isSame || (form.kind !== "domain" && /[()[\];:?!]/.test(between))) return undefined;
	// What stands in an address is named by the address alone.
	const isInAddress =
		/[@/]$/.test(text.slice(0, first.index)) || /^(?:\.\p{Ll}|@)/u.test(text.slice(end));
	if (isInAddress && form.kind !== "domain") return undefined;
	const isDistinct =
		form.kind !== "ticker" &&
		read.join(" ") === written.join(" ") &&
		/\p{L}.*\p{Lu}|\p{N}/u.test(written.join(""));
	return { brand, form, at: first.index, chars: end - first.index, isDistinct };
}

const SHORT_CHARS = 3;

/** Words with a capital are found with one; short ones and symbols just as they are written. */
function isWrittenSo(word: string, written: string, kind: BrandForm["kind"]): boolean {
	if (kind === "domain") return word.toLowerCase() === written.toLowerCase();
	if (word.toLowerCase() !== written.toLowerCase()) return false;
	if (kind === "ticker" || written.length <= SHORT_CHARS) return word === written;
	return written === written.toLowerCase() || word !== word.toLowerCase();
}

const TICKER =
	/(?:\$|\b(\p{L}{2,12})\s?:\s?)(\p{Lu}[\p{Lu}\p{N}]{0,5}(?:\.\p{Lu})?)(?![\p{L}\p{N}$])/gu;
/** Shorter symbols after "$" stand for variables too often. */
const SYMBOL_CHARS = 3;
/** Short names of exchanges, for a brand of which none is known. */
const EXCHANGES: ReadonlySet<string> = new Set(
	"NYSE NASDAQ AMEX CBOE LSE AIM TSX TSXV ASX HKEX SGX NSE BSE JSE FRA ETR XETRA EPA SIX TSE TYO KRX".split(
		" ",
	),
);

/** "$AAPL", and "NASDAQ: AAPL" where that is the exchange of the brand or none is known. */
function tickersIn(text: string, brands: Iterable<Brand>): readonly FoundName[] {
	const written = [...text.matchAll(TICKER)];
	if (written.length === 0) return [];
	return [...brands].flatMap((brand) =>
		written.flatMap((match): readonly FoundName[] => {
			const [whole, exchange, symbol = ""] = match;
			const isOwn = brand.nodes.some(({ identity }) => {
				const isThere =
					exchange === undefined
						? symbol.length >= SYMBOL_CHARS
						: isExchangeOf(identity.exchange, exchange);
				return isThere && identity.tickers.includes(symbol);
			});
			if (!isOwn) return [];
			const form = { kind: "ticker" as const, text: whole.trim(), words: [symbol.toLowerCase()] };
			return [{ brand, form, at: match.index, chars: whole.length, isDistinct: true }];
		}),
	);
}

function isExchangeOf(own: string | undefined, written: string): boolean {
	if (own === undefined) return EXCHANGES.has(written);
	const initials = wordsIn(own).map((word) => word.charAt(0));
	return (
		own.toLowerCase().includes(written.toLowerCase()) || initials.join("") === written.toUpperCase()
	);
}

function withoutParts(found: readonly FoundName[]): readonly FoundName[] {
	return found.filter(
		(one) =>
			!found.some(
				(longer) =>
					longer.chars > one.chars &&
					longer.at <= one.at &&
					longer.at + longer.chars >= one.at + one.chars &&
					longer.brand !== one.brand &&
					longer.brand.maker !== one.brand,
			),
	);
}

const STARTS_SENTENCE = /(?:^|[.!?:;•–—"“(]\s*)$/u;
/** What only someone who acts is followed by: a possession, a helping verb, a verb of the past. */
const ACTS =
	/^(?:['’]s\b|\s+(?:has|had|have|will|would|said|says|plc|inc)\b|\s+\p{Ll}{2,}(?<!e)ed\s)/iu;
const LONG_WORD = /\p{L}{4,}/gu;
const TITLE_CASE_SHARE = 0.6;

/**
 * How a word with a capital is used: "acts" as someone who does or has something, "amid" a sentence whose other words have no capital,
 * or as "part" of what may be another name ("the Meta EIP", "PEP 13"); undefined where every word would be written so.
 */
export function usageOf(
	text: string,
	{ at, chars }: Pick<FoundName, "at" | "chars">,
): "acts" | "amid" | "part" | undefined {
	if (ACTS.test(text.slice(at + chars))) return "acts";
	const isAcronym = text.slice(at, at + chars) === text.slice(at, at + chars).toUpperCase();
	if (/^\s+[\p{Lu}\p{N}]/u.test(text.slice(at + chars))) return "part";
	if (isAcronym || STARTS_SENTENCE.test(text.slice(0, at))) return undefined;
	const words = text.match(LONG_WORD) ?? [];
	const capital = words.filter((word) => word !== word.toLowerCase()).length;
	return capital / Math.max(1, words.length) < TITLE_CASE_SHARE ? "amid" : undefined;
}
