/** How much of a whole is spoken of. */
export type Quantifier = "all" | "none" | "only" | "most" | "some" | "few";

const WORDS: readonly (readonly [Quantifier, RegExp])[] = [
	["none", /\b(?:none of|no(?! longer| more| later| less| fewer)|neither|nobody|nothing)\b/i],
	["only", /\b(?:only|solely|exclusively|nothing but)\b/i],
	["all", /(?<!\bnot )\b(?:all|every|always|any|both|without exception)\b/i],
	[
		"most",
		/(?<!\bat )\b(?:most(?! recent)|majority|mostly|usually|typically|nearly all|almost all)\b/i,
	],
	["few", /(?<!\ba )\b(?:few(?!er)|hardly any|rarely|a handful)\b/i],
	["some", /\b(?:some|several|sometimes|a few|not all|not every|partly|occasionally)\b/i],
];

/** "No row without a flag": all of them. */
const ALL_BY_DENIAL = /\b(?:no|none|nobody|nothing)\b[^,;.]*\bwithout\b/i;

export function findQuantifiers(text: string): readonly Quantifier[] {
	if (ALL_BY_DENIAL.test(text)) return ["all"];
	return WORDS.flatMap(([quantifier, words]) => (words.test(text) ? [quantifier] : []));
}

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
