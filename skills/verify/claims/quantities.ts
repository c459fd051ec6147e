import { isStopWord } from "../../../src/search/search.js";
import { findListedMembers } from "./names.js";
import { findUnit, type Unit } from "./units.js";

/** A number and what it counts or measures. */
export interface Quantity {
	/** As written, with its unit. */
	readonly text: string;
	readonly start: number;
	readonly end: number;
	/** In the dimension's base unit: bytes, bits, seconds, percent, gas, USD; the number itself for counts. */
	readonly value: number;
	/** Upper end of a range; the value itself otherwise. */
	readonly upper: number;
	/** What it is where a unit is ambiguous: 64 KB are 64,000 bytes or 65,536. */
	readonly otherValue: number | undefined;
	readonly dimension: string;
	readonly bound: Bound;
	/** Half a unit of the last digit written, in the base unit. */
	readonly halfDigit: number;
	/** True for whole things, whose number is right or wrong. */
	readonly isCount: boolean;
}

const SMALL_NUMBERS =
	"two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety";
/** Numbers as words. Shares are below 1; "one" is left out, because it is mostly a pronoun. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
	...SMALL_NUMBERS.split(" ").map((word, index) => [word, index + 2] as const),
	...TENS.split(" ").map((word, index) => [word, (index + 2) * 10] as const),
	...Object.entries({ hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9, dozen: 12 }),
	...Object.entries({ half: 1 / 2, third: 1 / 3, thirds: 1 / 3, quarter: 1 / 4, quarters: 1 / 4 }),
]);
/** What a numeral may be multiplied by: `2 million`, `30k`. */
const SCALES: ReadonlyMap<string, number> = new Map([
	...Object.entries({ thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12, bn: 1e9 }),
	...Object.entries({ dozen: 12, hundred: 100, k: 1e3, K: 1e3, M: 1e6 }),
]);

const NUMERAL =
	/(?<![\p{L}\p{N}_.\-/+@#:])(?<currency>US\$|\$|€)?(?<digits>\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\p{N}]|[.:]\d|\/\d)/gu;
const WORD_NUMERAL = new RegExp(
	`(?<![\\p{L}\\p{N}_-])(?:(?:${[...NUMBER_WORDS.keys()].join("|")})(?:[- ](?=\\p{L})|(?!\\p{L})))+`,
	"giu",
);
/** "One entry in five". */
const ONE_IN =
	/(?<=\b(?:one|1)\s(?:\p{Ll}+\s)?)(?:in|of every|out of(?: every)?)\s(?<among>\d+|two|three|four|five|six|seven|eight|nine|ten|twenty)(?![\p{L}\p{N}.-])/giu;
const AND_A_HALF = /^\sand a half\b/i;
const UNIT_BEHIND = /^[-\s ]?(?<unit>percentage points?|basis points?|per cent|[%µμ]?\p{L}*)/u;
/** "122 random bits": one word may stand between a number and what measures. */
const UNIT_APART =
	/^\s(?!(?:and|or|of|to|per|in|for|by|the|an?)\s)\p{Ll}{3,12}\s(?<unit>bits|bytes|octets)\b/u;
const UNIT_WHOLE = /^\s(?:of\s)?an?\s(?<unit>\p{L}+)/u;
const SCALE_BEHIND = new RegExp(
	`^[-\\s]?(?<scale>${[...SCALES.keys()].filter((name) => name.length > 1).join("|")})(?!\\p{L})`,
	"iu",
);
const COMPACT_SCALE = /^[-\s]?(?<scale>[kKM])(?![\p{L}\p{N}])/u;
const RANGE_BEHIND = /^\s*(?:-|–|—|to|and|through)\s*$/i;
const SERIES_BEFORE = /(?:^|[\s(])(?:\p{Lu}[\p{L}.+#]*\p{Ll}*|v|KB)\s$/u;
/** Numbers of a text with their units, in order; those that are part of a name or of a date are left out. */
export function findQuantities(
	text: string,
	taken: readonly { readonly start: number; readonly end: number }[] = [],
): readonly Quantity[] {
	const found: Quantity[] = [];
	const listed = findListedMembers(text);
	const isTaken = (start: number, end: number) =>
		[...taken, ...listed].some((span) => start < span.end && end > span.start);
	for (const numeral of numeralsOf(text)) {
		if (isTaken(numeral.start, numeral.end)) continue;
		if (!numeral.isWord && isOfSeries(text, numeral.start)) continue;
		// The million of "120 million" is no number of its own.
		if (found.some(({ start, end }) => numeral.start < end && numeral.end > start)) continue;
		found.push(toQuantity(text, numeral));
	}
	found.sort((a, b) => a.start - b.start);
	return joinRanges(text, found);
}

interface Numeral {
	readonly start: number;
	readonly end: number;
	readonly value: number;
	readonly decimals: number;
	readonly currency: string | undefined;
	readonly isWord: boolean;
	/** "a third of": a share of a whole. */
	readonly isShare: boolean;
}

function* numeralsOf(text: string): Iterable<Numeral> {
	yield* sharesOf(text);
	for (const match of text.matchAll(NUMERAL)) {
		const { digits = "", currency } = match.groups ?? {};
		const plain = digits.replace(/[, ]/g, "");
		const decimals = plain.includes(".") ? plain.length - plain.indexOf(".") - 1 : 0;
		const { index: start } = match;
		const end = start + match[0].length;
		const value = Number(plain);
		yield { start, end, value, decimals, currency, isWord: false, isShare: false };
	}
	for (const match of text.matchAll(WORD_NUMERAL)) {
		const written = match[0].replace(/[- ]+$/, "");
		const numeral = readWords(written);
		if (!numeral) continue;
		const half = AND_A_HALF.exec(text.slice(match.index + written.length));
		const whole = `${written}${half?.[0] ?? ""}`;
		const value = half ? numeral.value + 1 / 2 : numeral.value;
		yield { ...asWord(match.index, whole), ...numeral, value };
	}
}

function* sharesOf(text: string): Iterable<Numeral> {
	for (const { index: start, 0: whole, groups } of text.matchAll(ONE_IN)) {
		const among = groups?.["among"] ?? "";
		const value = 100 / (Number(among) || NUMBER_WORDS.get(among.toLowerCase()) || 1);
		yield { ...asWord(start, whole), value, isShare: true };
	}
}

function asWord(start: number, written: string) {
	const end = start + written.length;
	return { start, end, decimals: 0, currency: undefined, isWord: true } as const;
}

/** "twenty-one", "two hundred", "three quarters"; undefined for words that are no number alone. */
function readWords(written: string): { value: number; isShare: boolean } | undefined {
	let total = 0;
	let open = 0;
	let isShare = false;
	for (const word of written.toLowerCase().split(/[- ]+/)) {
		const number = NUMBER_WORDS.get(word);
		if (number === undefined) return undefined;
		isShare ||= number < 1;
		open = number < 1 || number >= 100 ? (open || 1) * number : open + number;
		if (number < 1000) continue;
		total += open;
		open = 0;
	}
	const value = total + open;
	return { value: isShare ? value * 100 : value, isShare };
}

/** "TLS 1.3", "Python 3.14", "FIPS 203": the number is part of a name. */
function isOfSeries(text: string, start: number): boolean {
	const before = text.slice(Math.max(0, start - 40), start);
	if (!SERIES_BEFORE.test(before)) return false;
	const word = /(\p{L}[\p{L}.+#]*)\s$/u.exec(before)?.[1] ?? "";
	const isSentenceStart = start - word.length - 1 <= 0;
	return (
		/\p{Lu}.*\p{Lu}/u.test(word) ||
		word === "v" ||
		!(isSentenceStart || isStopWord(word.toLowerCase()))
	);
}

function toQuantity(text: string, numeral: Numeral): Quantity {
	const { start } = numeral;
	const scaled = readScale(text, numeral);
	const { unit, end } = readUnit(text, numeral, scaled.end);
	const factor = scaled.scale * (unit?.factor ?? 1);
	const value = numeral.value * factor;
	return {
		text: text.slice(start, end).trim(),
		start,
		end,
		value,
		upper: value,
		otherValue: unit?.otherFactor && numeral.value * scaled.scale * unit.otherFactor,
		dimension: unit?.dimension ?? "count",
		bound: boundOf(text, start, end),
		halfDigit: (factor * 10 ** -numeral.decimals) / 2,
		isCount: !unit && numeral.decimals === 0 && scaled.scale === 1,
	};
}

/** "2 million", "30k". */
function readScale(text: string, { end, isWord }: Numeral): { scale: number; end: number } {
	const behind = text.slice(end, end + 60);
	const found = SCALE_BEHIND.exec(behind) ?? (isWord ? null : COMPACT_SCALE.exec(behind));
	const name = found?.groups?.["scale"];
	if (!found || name === undefined) return { scale: 1, end };
	const scale = SCALES.get(name) ?? SCALES.get(name.toLowerCase()) ?? 1;
	return { scale, end: end + found[0].length };
}

function readUnit(
	text: string,
	{ currency, isShare }: Numeral,
	end: number,
): { unit: Unit | undefined; end: number } {
	if (currency) return { unit: { dimension: "usd", factor: 1 }, end };
	if (isShare) {
		// "Half an hour", "three quarters of a mile".
		const whole = UNIT_WHOLE.exec(text.slice(end, end + 60));
		const unit = findUnit(whole?.groups?.["unit"] ?? "");
		if (!unit || !whole) return { unit: { dimension: "percent", factor: 1 }, end };
		return {
			unit: { dimension: unit.dimension, factor: unit.factor / 100 },
			end: end + whole[0].length,
		};
	}
	const named = UNIT_BEHIND.exec(text.slice(end, end + 60));
	const unit = findUnit(named?.groups?.["unit"] ?? "");
	if (unit && named) return { unit, end: end + named[0].length };
	const apart = UNIT_APART.exec(text.slice(end, end + 60));
	const far = findUnit(apart?.groups?.["unit"] ?? "");
	return { unit: far, end: end + (apart?.[0].length ?? 0) };
}

/** "100 to 600", "between 5 and 10 days": two numbers with one unit are the ends of a range. */
function joinRanges(text: string, found: readonly Quantity[]): readonly Quantity[] {
	const joined: Quantity[] = [];
	for (const next of found) {
		const last = joined.at(-1);
		const gap = last ? text.slice(last.end, next.start) : "";
		const isAnd = /^\s*and\s*$/i.test(gap);
		const opens =
			last && /\bbetween\s*$/i.test(text.slice(Math.max(0, last.start - 12), last.start));
		const isRange = last && RANGE_BEHIND.test(gap) && (!isAnd || opens) && last.bound !== "range";
		const isOneUnit = last?.dimension === next.dimension || last?.dimension === "count";
		if (!last || !isRange || !isOneUnit || next.value <= last.value) {
			joined.push(next);
			continue;
		}
		const factor = last.dimension === next.dimension ? 1 : next.halfDigit * 2;
		joined.splice(-1, 1, {
			...next,
			text: text.slice(last.start, next.end),
			start: last.start,
			value: last.value * factor,
			upper: next.value,
			bound: "range",
		});
	}
	return joined;
}

/** Which side of a number is meant. */
type Bound = "exact" | "about" | "range" | "at most" | "at least" | "less than" | "more than";

const BOUND_BEFORE: readonly (readonly [Bound, RegExp])[] = [
	[
		"at least",
		/(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|minimum(?: of| is)?|min\.?|or more|≥|>=)\s*$/i,
	],
	[
		"at most",
		/(?:at most|up to|no (?:more|longer|larger|greater) than|not more than|maximum(?: of| is)?|max\.?|within|limited to|capped at|caps? [^.;,]{0,40}at|limits? [^.;,]{0,40}to|≤|<=)\s*$/i,
	],
	[
		"more than",
		/(?:more than|over|above|exceed(?:s|ing)?|greater than|longer than|larger than|>)\s*$/i,
	],
	["less than", /(?:less than|fewer than|under|below|shorter than|smaller than|<)\s*$/i],
	[
		"about",
		/(?:about|around|roughly|approximately|approx\.?|some|nearly|almost|circa|c\.|~|≈)\s*$/i,
	],
];
const BOUND_AFTER: readonly (readonly [Bound, RegExp])[] = [
	["at least", /^\s*(?:\p{L}+\s)?or (?:more|above|higher|longer|later)/iu],
	["at most", /^\s*(?:\p{L}+\s)?(?:or (?:less|fewer|below|lower)|at most)/iu],
];
/** What the words around a number make of it. */
function boundOf(text: string, start: number, end: number): Bound {
	const before = text.slice(Math.max(0, start - 60), start);
	const after = text.slice(end, end + 40);
	for (const [bound, words] of BOUND_BEFORE) if (words.test(before)) return bound;
	for (const [bound, words] of BOUND_AFTER) if (words.test(after)) return bound;
	return "exact";
}
