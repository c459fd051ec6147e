import { isStopWord, stemWord } from "../../../src/search/search.js";
import { toBaseForm } from "./irregular-forms.js";

/** Which side of a number is meant. */
export type Bound =
	| "exact"
	| "about"
	| "at most"
	| "at least"
	| "less than"
	| "more than"
	| "range";

const LABEL_BEFORE =
	/(?<label>status|code|codes|error|errors|port|version|section|level|edition|step|stage|chapter|category|type|opcode|page|value|bit)\s+(?:codes?\s+|of\s+)?$/i;
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

/** Stems of what a number counts: the words behind it, and a label before it, as in "status 402". */
export function nounsAround(text: string, start: number, end: number): readonly string[] {
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

/** What the words around a number make of it. */
export function boundOf(text: string, start: number, end: number): Bound {
	const before = text.slice(Math.max(0, start - 60), start);
	const after = text.slice(end, end + 40);
	for (const [bound, words] of BOUND_BEFORE) if (words.test(before)) return bound;
	for (const [bound, words] of BOUND_AFTER) if (words.test(after)) return bound;
	return "exact";
}
