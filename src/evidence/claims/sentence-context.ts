import type { DateSpan } from "./date-spans.js";
import { readText, type TextReading } from "./text-reading.js";

/** What a sentence takes for granted: whom it speaks of, what stands around it, when its sources date from. */
export interface SentenceContext {
	/** Title and other names of what the sentence is about. */
	readonly names?: readonly string[];
	/** The text around it. */
	readonly around?: string;
	/** Words no searched text has, in lower case. */
	readonly unknown?: readonly string[];
	/** Dates of its sources. */
	readonly dates?: readonly DateSpan[];
}

/** The same, read once for all sentences of a concept. */
export interface ReadContext {
	/** The first name alone. */
	readonly title: TextReading;
	readonly about: TextReading;
	readonly around: TextReading;
	readonly aboutStems: ReadonlySet<string>;
	readonly aroundStems: ReadonlySet<string>;
	readonly unknown: ReadonlySet<string>;
}

export function readContext({ names = [], around = "", unknown = [] }: SentenceContext): ReadContext {
	const about = readText(names.join(" ; "));
	const surroundings = readText(around);
	const stemsOf = ({ words }: TextReading) => new Set(words.map(({ stem }) => stem));
	return {
		title: readText(names[0] ?? ""),
		unknown: new Set(unknown),
		about,
		around: surroundings,
		aboutStems: stemsOf(about),
		aroundStems: stemsOf(surroundings),
	};
}
