const GRAMMATICAL =
	/\b(?:not(?!\s+only\b|\s+(?:more|less|fewer)\s+than\b)|never|no(?!\.|\s+(?:later|earlier|more|less|fewer|longer|larger|greater)\s+than\b)(?:\s+longer)?|none|neither|nor|nobody|nothing|without|cannot|hardly|rarely|seldom|rather than|instead of)\b|\b\p{L}+n't\b/iu;
const DENYING =
	/\b(?:forbid(?:s|ding|den)?|prohibit(?:s|ed|ing)?|bans?|banned|prevent(?:s|ed|ing)?(?! [^.,;]{1,60} from)|disallow(?:s|ed|ing)?|reject(?:s|ed|ing)?|refus(?:e|es|ed|ing)|avoid(?:s|ed|ing)?|fail(?:s|ed)? to|lack(?:s|ed|ing)?|omit(?:s|ted)?|exclud(?:e|es|ed|ing)|stop(?:s|ped)?(?= \p{L}+ing)|raises? an? (?:exception|error)|abolish(?:es|ed|ing)?|remov(?:e|es|ed|ing)|eliminat(?:e|es|ed|ing)|discard(?:s|ed|ing)?|free of|free from|safe from|immune to|protect(?:s|ed|ion)? (?:against|from)|do(?:es|ne|ing)? away with|did away with|gets? rid of|unable to|refrains? from|loses?|lost|drops?|dropped|needless|unlike|(?<=(?:not|can|may|will|must|to)\s)block|hinder(?:s|ed)?|(?:keeps?|kept|stops?|stopped|prevents?|prevented|bars?|barred|hinders?|hindered|protects?) [^.,;]{1,60} from|advis(?:e|es|ed|ing) against|warn(?:s|ed|ing)? against|discourag(?:e|es|ed|ing)|rul(?:e|es|ed|ing) out|(?:defeat|thwart|foil)(?:s|ed|ing)?|imped(?:e|es|ed))\b/iu;
const PASSIVE =
	/\b(?:is|are|was|were|be|been|being|become|becomes|became)\s+(?:\p{L}+ly\s+|now\s+|also\s+|therefore\s+)?(?:forbidden|prohibited|banned|rejected|refused|removed|gone|dropped|ignored|disallowed|impossible|absent|missing|ruled out|abolished|discarded|lost|unable|unavailable|optional|left out)\b/iu;
/** Two that cancel: "no row without a flag" speaks of all rows, "not both" of one. */
const CANCELLED =
	/\b(?:no|none|nobody|nothing|never)\b[^,;.]{0,200}\bwithout\b|\b(?:no|not|never|cannot|none)\b[^,;.]{0,200}\bboth\b/giu;

/** True for a text that denies, by grammar or by meaning. "Not only" and bounds such as "no more than" deny nothing. */
export function isDenial(text: string): boolean {
	return GRAMMATICAL.test(text.replace(CANCELLED, "")) || PASSIVE.test(text) || DENYING.test(text);
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
