import { isStopWord, stemWord } from "../../../src/search/search.js";
import { type DateSpan, findDateSpans } from "./date-spans.js";
import { findNames, type Name } from "./names.js";
import { findNegations, findQuantifiers, type Negation } from "./polarity.js";
import { findQuantities } from "./quantities.js";
import { findAxisPlaces, toBaseForm, weightOfWord } from "./thesaurus.js";
import { findBareUnits } from "./units.js";

/** A word that says something, and how; `place` is that among the words that are read. */
export type ReadWord = Readonly<NonNullable<ReturnType<typeof readWord>> & { place: number }>;

/** A text with what the comparator holds against another. */
export type TextReading = Readonly<ReturnType<typeof readPlain>>;

const WORD = /(?:\bnon-)?[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu;
const TEXT_CHARS = 4_000;
const BARE_NUMBER = /^\p{N}+$/u;

/** Sentences of a catalog are held against many claims. */
const READINGS_KEPT = 6_000;
const readings = new Map<string, TextReading>();

/** Reads at most the first 4,000 characters, and remembers nothing: what callers send is kept nowhere. */
export function readText(whole: string): TextReading {
	return readPlain(toPlain(whole));
}

/** The same for a catalog's own text; readings of the last few thousand are remembered. */
export function readCatalogText(whole: string): TextReading {
	const text = toPlain(whole);
	const known = readings.get(text);
	if (known) return known;
	const [oldest] = readings.keys();
	if (readings.size >= READINGS_KEPT && oldest !== undefined) readings.delete(oldest);
	const reading = readPlain(text);
	readings.set(text, reading);
	return reading;
}

function toPlain(whole: string): string {
	return whole.slice(0, TEXT_CHARS).replaceAll("’", "'");
}

function readPlain(text: string) {
	const dates = findDateSpans(text);
	const quantities = findQuantities(text, dates);
	const negations = findNegations(text);
	const names = findNames(text);
	const named = spansOf(text, names);
	const taken = [...dates, ...quantities];
	const words: ReadWord[] = [];
	for (const { 0: written, index: start } of text.matchAll(WORD)) {
		if (BARE_NUMBER.test(written)) continue;
		if (taken.some((span) => start >= span.start && start < span.end)) continue;
		const word = readWord(written, start, negations);
		if (!word) continue;
		// Names count as names, once.
		const isNamed = named.some((span) => start >= span.start && start < span.end);
		words.push({ ...word, ...(isNamed && { weight: 0 }), place: words.length });
	}
	return {
		text,
		words,
		names,
		quantities,
		dates,
		quantifiers: findQuantifiers(text),
		negations,
		bareUnits: findBareUnits(text),
	};
}

/** Undefined for words of grammar that lie on no axis. */
function readWord(written: string, start: number, negations: readonly Negation[]) {
	const lower = written.toLowerCase().replace(/'s$/, "").replace(/^non-/, "non");
	const stem = stemWord(toBaseForm(lower));
	const axes = findAxisPlaces(stem);
	const isStop = isStopWord(lower);
	if (isStop && axes.length === 0) return undefined;
	const over = negations.filter(({ from, to }) => start >= from && start < to);
	return {
		written,
		stem,
		start,
		axes,
		/** How much of what is said it carries; 0 for words of grammar that lie on an axis ("must", "before"). */
		weight: isStop ? 0 : weightOfWord(stem, lower),
		isNegated: over.length % 2 === 1,
		/** Places of the negations that deny it first of all. */
		deniedBy: negations.flatMap(({ headFrom, headTo }, place) =>
			start >= headFrom && start < headTo ? [place] : [],
		),
	};
}

/** Every place of every name. */
function spansOf(text: string, names: readonly Name[]) {
	return names.flatMap(({ text: written }) => {
		const spans: { readonly start: number; readonly end: number }[] = [];
		for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + written.length)) {
			spans.push({ start: at, end: at + written.length });
		}
		return spans;
	});
}

/** What a sentence takes for granted: whom it speaks of, what stands around it, when its sources date from. */
export interface SentenceContext {
	/** Title and other names of what the sentence is about. */
	readonly names?: readonly string[];
	/** What its graph is about. */
	readonly domain?: string;
	/** Sentences around it. */
	readonly around?: readonly string[];
	/** Words no searched text has, in lower case. */
	readonly unknown?: readonly string[];
	/** Dates of its sources. */
	readonly dates?: readonly DateSpan[];
}

/** The same, read once for all sentences of a concept. */
export type ReadContext = Readonly<ReturnType<typeof readAll>>;

export function readContext(context: SentenceContext): ReadContext {
	return readAll(context, readText);
}

/** The same for text of a catalog, which may be remembered. */
export function readCatalogContext(context: SentenceContext): ReadContext {
	return readAll(context, readCatalogText);
}

function readAll(context: SentenceContext, read: (text: string) => TextReading) {
	const { names = [], domain = "", around = [], unknown = [] } = context;
	const about = read([...names, domain].join(" ; "));
	const surroundings = around.map(read);
	return {
		/** The first name, and what its graph is about. */
		title: read(`${names[0] ?? ""} ; ${domain}`),
		domain: read(domain),
		about,
		around: surroundings,
		aboutStems: stemsOf([about]),
		aroundStems: stemsOf(surroundings),
		unknown: new Set(unknown),
	};
}

function stemsOf(readings: readonly TextReading[]): ReadonlySet<string> {
	return new Set(readings.flatMap(({ words }) => words.map(({ stem }) => stem)));
}
