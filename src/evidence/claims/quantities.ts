import { stemWord } from "../../search/stem.js";
import { isStopWord } from "../../search/stop-words.js";
import { toBaseForm } from "./irregular-forms.js";
import { NUMBER_WORDS, SCALES } from "./number-words.js";
import { findUnit, type Unit } from "./units.js";

/** Which side of a number is meant. */
export type Bound =
	| "exact"
	| "about"
	| "at most"
	| "at least"
	| "less than"
	| "more than"
	| "range";

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
	/** Stems of what is counted, for counts: the words around the number. */
	readonly nouns: readonly string[];
	readonly bound: Bound;
	/** Half a unit of the last digit written, in the base unit. */
	readonly halfDigit: number;
	/** True for whole things, whose number is right or wrong. */
	readonly isCount: boolean;
}

const NUMERAL =
	/(?<![\p{L}\p{N}_.\-/+@#:])(?<currency>US\$|\$|€)?(?<digits>\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\p{N}]|[.:]\d|\/\d)/gu;
const WORD_NUMERAL = new RegExp(
	`(?<![\\p{L}\\p{N}_-])(?:(?:${[...NUMBER_WORDS.keys()].join("|")})(?:[- ](?=\\p{L})|(?!\\p{L})))+`,
	"giu",
);
const UNIT_BEHIND = /^[-\s ]?(?<unit>percentage points?|basis points?|per cent|[%µμ]?\p{L}*)/u;
const SCALE_BEHIND = new RegExp(
	`^[-\\s]?(?<scale>${[...SCALES.keys()].join("|")})(?!\\p{L})`,
	"iu",
);
const COMPACT_SCALE = /^(?<scale>[kKM])(?![\p{L}\p{N}])/u;
const RANGE_BEHIND = /^\s*(?:-|–|—|to|and|through)\s*$/i;
const LABEL_BEFORE =
	/(?<label>status|code|codes|error|errors|port|version|section|level|edition|step|stage|chapter|category|type|opcode|page|value|bit)\s+(?:codes?\s+|of\s+)?$/i;
const SERIES_BEFORE = /(?:^|[\s(])(?:\p{Lu}[\p{L}.+#]*\p{Ll}*|v|KB)\s$/u;
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
const NOUNS_MAX = 3;
const CLAUSE_END =
	/[.,;:()"]|\b(?:and|or|of|in|for|from|with|to|that|which|is|are|was|were|by|per|at|on)\b/;

/** Numbers of a text with their units, in order; those that are part of a name or of a date are left out. */
export function findQuantities(
	text: string,
	taken: readonly { readonly start: number; readonly end: number }[] = [],
): readonly Quantity[] {
	const found: Quantity[] = [];
	const isTaken = (start: number, end: number) =>
		taken.some((span) => start < span.end && end > span.start);
	for (const numeral of numeralsOf(text)) {
		if (isTaken(numeral.start, numeral.end)) continue;
		if (!numeral.isWord && isOfSeries(text, numeral.start)) continue;
		found.push(toQuantity(text, numeral));
	}
	return joinRanges(
		text,
		found.sort((a, b) => a.start - b.start),
	);
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
	for (const match of text.matchAll(NUMERAL)) {
		const { digits = "", currency } = match.groups ?? {};
		const plain = digits.replace(/[, ]/g, "");
		const decimals = plain.includes(".") ? plain.length - plain.indexOf(".") - 1 : 0;
		const end = match.index + match[0].length;
		yield {
			start: match.index,
			end,
			value: Number(plain),
			decimals,
			currency,
			isWord: false,
			isShare: false,
		};
	}
	for (const match of text.matchAll(WORD_NUMERAL)) {
		const written = match[0].replace(/[- ]+$/, "");
		const numeral = readWords(written);
		if (!numeral) continue;
		yield {
			start: match.index,
			end: match.index + written.length,
			decimals: 0,
			currency: undefined,
			isWord: true,
			...numeral,
		};
	}
}

/** "twenty-one", "two hundred", "three quarters"; undefined for words that are no number alone. */
function readWords(written: string): { value: number; isShare: boolean } | undefined {
	let total = 0;
	let open = 0;
	let isShare = false;
	for (const word of written.toLowerCase().split(/[- ]+/)) {
		const number = NUMBER_WORDS.get(word);
		if (number === undefined) return undefined;
		if (number < 1) {
			open = (open || 1) * number * 100;
			isShare = true;
		} else if (number >= 100) {
			open = (open || 1) * number;
			if (number >= 1000) {
				total += open;
				open = 0;
			}
		} else open += number;
	}
	return { value: total + open, isShare };
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
	let { end } = numeral;
	let scale = 1;
	const behind = () => text.slice(end, end + 60);
	const scaled =
		SCALE_BEHIND.exec(behind()) ?? (numeral.isWord ? null : COMPACT_SCALE.exec(behind()));
	if (scaled) {
		const name = scaled.groups?.["scale"] ?? "";
		scale = SCALES.get(name) ?? SCALES.get(name.toLowerCase()) ?? 1;
		end += scaled[0].length;
	}
	const named = UNIT_BEHIND.exec(behind());
	const unit: Unit | undefined = numeral.currency
		? { dimension: "usd", factor: 1 }
		: numeral.isShare
			? { dimension: "percent", factor: 1 }
			: findUnit(named?.groups?.["unit"] ?? "");
	if (unit && named && !numeral.currency && !numeral.isShare) end += named[0].length;
	const factor = scale * (unit?.factor ?? 1);
	const value = numeral.value * factor;
	const { start } = numeral;
	return {
		text: text.slice(start, end).trim(),
		start,
		end,
		value,
		upper: value,
		otherValue: unit?.otherFactor && numeral.value * scale * unit.otherFactor,
		dimension: unit?.dimension ?? "count",
		nouns: unit ? [] : nounsAround(text, start, end),
		bound: boundOf(text, start, end),
		halfDigit: (factor * 10 ** -numeral.decimals) / 2,
		isCount: !unit && numeral.decimals === 0 && scale === 1,
	};
}

function nounsAround(text: string, start: number, end: number): readonly string[] {
	const label = LABEL_BEFORE.exec(text.slice(Math.max(0, start - 40), start))?.groups?.["label"];
	const behind = text.slice(end, end + 80);
	const cut = CLAUSE_END.exec(behind);
	const phrase = cut ? behind.slice(0, cut.index) : behind;
	const words = phrase.toLowerCase().match(/\p{L}+/gu) ?? [];
	const nouns = words.filter((word) => !isStopWord(word) && word.length > 1).slice(0, NOUNS_MAX);
	return [
		...new Set(
			[...(label ? [label.toLowerCase()] : []), ...nouns].map((word) => stemWord(toBaseForm(word))),
		),
	];
}

function boundOf(text: string, start: number, end: number): Bound {
	const before = text.slice(Math.max(0, start - 60), start);
	const after = text.slice(end, end + 40);
	for (const [bound, words] of BOUND_BEFORE) if (words.test(before)) return bound;
	for (const [bound, words] of BOUND_AFTER) if (words.test(after)) return bound;
	return "exact";
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
