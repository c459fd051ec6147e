import { stemWord } from "../../search/stem.js";
import { isStopWord } from "../../search/stop-words.js";
import { type DateSpan, findDateSpans } from "./date-spans.js";
import { findNames, type Name } from "./names.js";
import { findNegations } from "./polarity.js";
import { findQuantifiers, type Quantifier } from "./quantifiers.js";
import { findQuantities, type Quantity } from "./quantities.js";
import { type AxisPlace, findAxisPlace } from "./word-axes.js";

/** A word that says something, and how. */
export interface ReadWord {
	readonly written: string;
	readonly stem: string;
	readonly start: number;
	readonly axis: AxisPlace | undefined;
	readonly isNegated: boolean;
	/** Words of grammar that lie on an axis ("must", "before") weigh nothing by themselves. */
	readonly isStopWord: boolean;
}

/** A text with what the comparator holds against another. */
export interface TextReading {
	readonly text: string;
	readonly words: readonly ReadWord[];
	readonly names: readonly Name[];
	readonly quantities: readonly Quantity[];
	readonly dates: readonly DateSpan[];
	readonly quantifiers: readonly Quantifier[];
}

const WORD = /[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu;
const TEXT_CHARS = 4_000;

/** Reads at most the first 4,000 characters. */
export function readText(whole: string): TextReading {
	const text = whole.slice(0, TEXT_CHARS).replaceAll("’", "'");
	const dates = findDateSpans(text);
	const quantities = findQuantities(text, dates);
	const negations = findNegations(text);
	const taken = [...dates, ...quantities];
	const words: ReadWord[] = [];
	for (const match of text.matchAll(WORD)) {
		const start = match.index;
		if (taken.some((span) => start >= span.start && start < span.end)) continue;
		const lower = match[0].toLowerCase().replace(/'s$/, "");
		const stem = stemWord(lower);
		const axis = findAxisPlace(stem);
		const isStop = isStopWord(lower) || isStopWord(stem);
		if (isStop && !axis) continue;
		const isNegated = negations.some(
			(span) => start >= span.start + span.cue.length && start < span.end,
		);
		words.push({ written: match[0], stem, start, axis, isNegated, isStopWord: isStop });
	}
	const names = findNames(text);
	return { text, words, names, quantities, dates, quantifiers: findQuantifiers(text) };
}
