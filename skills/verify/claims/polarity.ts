/** A stretch of text that is denied. */
export interface Negation {
	readonly cue: string;
	/** Where its reach begins and ends: within its clause, and not beyond some words. */
	readonly from: number;
	readonly to: number;
	/** The part of its reach next to the cue: what is denied first of all. */
	readonly headFrom: number;
	readonly headTo: number;
	/** False for words that deny by their meaning: forbid, remove, free of. */
	readonly isGrammatical: boolean;
	/** True where the very next word of content is what is denied: "not", "never"; "no" may deny the one behind it. */
	readonly isDirect: boolean;
}

const GRAMMATICAL =
	/\b(?:not(?!\s+only\b|\s+(?:more|less|fewer)\s+than\b)|never|no(?!\.|\s+(?:later|earlier|more|less|fewer|longer|larger|greater)\s+than\b)(?:\s+longer)?|none|neither|nor|nobody|nothing|without|cannot|hardly|rarely|seldom|rather than|instead of)\b|\b\p{L}+n't\b/giu;
const DENYING =
	/\b(?:forbid(?:s|ding|den)?|prohibit(?:s|ed|ing)?|bans?|banned|prevent(?:s|ed|ing)?(?! [^.,;]{1,60} from)|disallow(?:s|ed|ing)?|reject(?:s|ed|ing)?|refus(?:e|es|ed|ing)|avoid(?:s|ed|ing)?|fail(?:s|ed)? to|lack(?:s|ed|ing)?|omit(?:s|ted)?|exclud(?:e|es|ed|ing)|stop(?:s|ped)?(?= \p{L}+ing)|raises? an? (?:exception|error)|abolish(?:es|ed|ing)?|remov(?:e|es|ed|ing)|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|free of|free from|safe from|immune to|protect(?:s|ed|ion)? (?:against|from)|do(?:es|ne|ing)? away with|did away with|gets? rid of|unable to|refrains? from|loses?|lost|drops?|dropped|needless|unlike|(?<=(?:not|can|may|will|must|to)\s)block|hinder(?:s|ed)?|(?:keeps?|kept|stops?|stopped|prevents?|prevented|bars?|barred|hinders?|hindered|protects?) [^.,;]{1,60} from|advis(?:e|es|ed|ing) against|warn(?:s|ed|ing)? against|discourag(?:e|es|ed|ing)|rul(?:e|es|ed|ing) out|(?:defeat|thwart|foil)(?:s|ed|ing)?|imped(?:e|es|ed))\b/giu;
const PASSIVE =
	/\b(?:is|are|was|were|be|been|being|become|becomes|became)\s+(?:\p{L}+ly\s+|now\s+|also\s+|therefore\s+)?(?:forbidden|prohibited|banned|rejected|refused|removed|gone|dropped|ignored|disallowed|impossible|absent|missing|ruled out|abolished|discarded|lost|unable|unavailable|optional|left out)\b/giu;
const CLAUSE_END =
	/[,;:()](?:\s|$)|\.(?:\s|$)|\s(?:but|while|whereas|although|though|because|so that|(?<!of\s)which|unless|except|and (?:is|are|was|were|can|may|must|has|have|does|it|they)|if|when)\s/;
const CLAUSE_START = /.*(?:[,;:()]\s|\.\s|\s(?:but|while|whereas|although|because|which|and)\s)/s;
/** What a denial does not reach beyond: "cannot be used before", "removes the state at the price of". */
const BOUNDARY =
	/\s(?:before|until|without|by way of|at the (?:price|cost) of|in (?:favou?r|exchange) of)\s/i;
const NEXT_CUE = /\s(?:not|never|no|none|neither|nor|without|cannot)\s/i;
const DIRECT = /^(?:not|never|cannot|\p{L}+n't)$/u;
const REACH_WORDS = 8;
/** What is denied as a thing: "no", "none of". */
const NOUN_REACH_WORDS = 5;
const OF_NOUN = /^(?:no|none|neither|nor|without)$/;
const HEAD_WORDS = 6;
/** "The contract rather than the user pays": only what stands next is not meant. */
const BESIDE_WORDS = 2;
const BESIDE = /^(?:rather than|instead of)$/;
const REACH_CHARS = 160;
/** Two that cancel: "no row without a flag" speaks of all rows, "not both" of one. */
const CANCELLED =
	/\b(?:no|none|nobody|nothing|never)\b[^,;.]{0,200}\bwithout\b|\b(?:no|not|never|cannot|none)\b[^,;.]{0,200}\bboth\b/giu;

/** What a text denies, cue by cue. "Not only" and bounds such as "no more than" deny nothing. */
export function findNegations(text: string): readonly Negation[] {
	const cancelled = [...text.matchAll(CANCELLED)].map(
		({ index, 0: found }) => [index, index + found.length] as const,
	);
	const isOpen = (at: number) => !cancelled.some(([from, to]) => at >= from && at < to);
	const found: Negation[] = [];
	for (const match of text.matchAll(GRAMMATICAL)) {
		if (isOpen(match.index)) found.push(forward(text, match, true));
	}
	for (const match of text.matchAll(PASSIVE)) found.push(backward(text, match));
	for (const match of text.matchAll(DENYING)) {
		const isPassive = found.some(
			({ cue }) => cue.includes(match[0].toLowerCase()) && cue !== match[0].toLowerCase(),
		);
		if (!isPassive) found.push(forward(text, match, false));
	}
	return found;
}

function forward(text: string, match: RegExpExecArray, isGrammatical: boolean): Negation {
	const cue = match[0].toLowerCase();
	const from = match.index + cue.length;
	const behind = text.slice(from, from + REACH_CHARS);
	// What raises an exception stands behind the colon.
	const isLong = /^raise/.test(cue);
	const stops = isLong
		? [behind.search(/[.;]/)]
		: [CLAUSE_END.exec(behind)?.index ?? -1, behind.search(NEXT_CUE), behind.search(BOUNDARY)];
	const reach = behind.slice(0, Math.min(...stops.filter((stop) => stop >= 0), behind.length));
	const words = [...reach.matchAll(/\S+/g)].map(({ index, 0: word }) => index + word.length);
	const end = (count: number) => from + (words[Math.min(count, words.length) - 1] ?? 0);
	// In "need not" the verb stands before what denies it.
	const isPostfix =
		cue === "not" && /\bneed\s$/i.test(text.slice(Math.max(0, match.index - 5), match.index));
	const start = isPostfix ? match.index - 5 : from;
	const reachWords = BESIDE.test(cue)
		? BESIDE_WORDS
		: isLong
			? 40
			: OF_NOUN.test(cue)
				? NOUN_REACH_WORDS
				: undefined;
	return {
		...{ cue, isGrammatical, from: start, headFrom: start },
		isDirect: DIRECT.test(cue),
		to: end(reachWords ?? REACH_WORDS),
		headTo: end(reachWords ?? HEAD_WORDS),
	};
}

function backward(text: string, match: RegExpExecArray): Negation {
	const before = text.slice(Math.max(0, match.index - REACH_CHARS), match.index);
	const from = match.index - before.length + (CLAUSE_START.exec(before)?.[0].length ?? 0);
	return {
		...{ cue: match[0].toLowerCase(), isGrammatical: false, from, to: match.index },
		...{ headFrom: from, headTo: match.index, isDirect: false },
	};
}

/** How much of a whole is spoken of. */
export type Quantifier = "all" | "none" | "only" | "most" | "some" | "few";

const WORDS: readonly (readonly [Quantifier, RegExp])[] = [
	["none", /\b(?:none of|no(?! longer| more| later| less| fewer)|neither|nobody|nothing)\b/i],
	["only", /\b(?:only|solely|exclusively|nothing but)\b/i],
	[
		"all",
		/(?<!\bnot |(?:\d|%|percent|half|third|thirds|quarters?|fifth|tenth|most|some|none|many|few|majority|minority|share|part) of )\b(?:all|every|always|any(?! other)|both|without exception)\b/i,
	],
	[
		"most",
		/(?<!\bat )\b(?:most(?! recent)|majority|mostly|usually|typically|nearly all|almost all)\b/i,
	],
	["few", /(?<!\ba )\b(?:few(?!er)|hardly any|rarely|a handful)\b/i],
	["some", /\b(?:some|several|sometimes|a few|not all|not every|partly|occasionally)\b/i],
];

/** "No row without a flag": all of them. */
const ALL_BY_DENIAL = /\b(?:no|none|nobody|nothing)\b[^,;.]{0,200}\bwithout\b/i;

export function findQuantifiers(text: string): readonly Quantifier[] {
	if (ALL_BY_DENIAL.test(text)) return ["all"];
	return WORDS.flatMap(([quantifier, words]) => (words.test(text) ? [quantifier] : []));
}

/** Words right behind a quantifier: what it counts, lower case; none where it stands alone or counts "them". */
export function countedBy(text: string, quantifier: Quantifier): readonly string[] {
	const found = WORDS.find(([name]) => name === quantifier)?.[1].exec(text);
	if (!found) return [];
	const from = found.index + found[0].length;
	const behind = text.slice(from, from + COUNTED_CHARS).toLowerCase();
	const phrase = /^[\s\p{L}\p{N}-]*/u.exec(behind)?.[0] ?? "";
	return phrase.match(/\p{L}+/gu)?.slice(0, COUNTED_WORDS) ?? [];
}

const COUNTED_CHARS = 60;
const COUNTED_WORDS = 4;

const REFUTED_BY: Readonly<Record<Quantifier, readonly Quantifier[]>> = {
	all: ["some", "most", "few"],
	none: ["some", "most"],
	most: ["few"],
	some: ["none"],
	few: ["most"],
	only: [],
};

/** True when what is said of the second cannot be while the first holds of the same thing. */
export function contradictsQuantifier(claim: Quantifier, sentence: Quantifier): boolean {
	return REFUTED_BY[claim].includes(sentence);
}
