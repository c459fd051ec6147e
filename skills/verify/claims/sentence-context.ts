import type { DateSpan } from "./date-spans.js";
import { readCatalogText, readText, type TextReading } from "./text-reading.js";

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
export interface ReadContext {
	/** The first name, and what its graph is about. */
	readonly title: TextReading;
	readonly domain: TextReading;
	readonly about: TextReading;
	readonly around: readonly TextReading[];
	readonly aboutStems: ReadonlySet<string>;
	readonly aroundStems: ReadonlySet<string>;
	readonly unknown: ReadonlySet<string>;
}

export function readContext(context: SentenceContext): ReadContext {
	return readAll(context, readText);
}

/** The same for text of a catalog, which may be remembered. */
export function readCatalogContext(context: SentenceContext): ReadContext {
	return readAll(context, readCatalogText);
}

function readAll(context: SentenceContext, read: (text: string) => TextReading): ReadContext {
	const { names = [], domain = "", around = [], unknown = [] } = context;
	const about = read([...names, domain].join(" ; "));
	const surroundings = around.map(read);
	return {
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
