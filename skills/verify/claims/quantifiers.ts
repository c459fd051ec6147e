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
	const behind = text.slice(
		found.index + found[0].length,
		found.index + found[0].length + COUNTED_CHARS,
	);
	const phrase = /^[\s\p{L}\p{N}-]*/u.exec(behind)?.[0] ?? "";
	return (
		phrase
			.toLowerCase()
			.match(/\p{L}+/gu)
			?.slice(0, COUNTED_WORDS) ?? []
	);
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
