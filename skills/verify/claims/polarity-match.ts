import type { Conflict, Findings, Item } from "./comparison-items.js";
import type { Negation } from "./polarity.js";
import type { ReadWord, TextReading } from "./text-reading.js";
import type { AlignedWord } from "./word-alignment.js";

/** Denied words and opposites: what only one of both texts denies. */
export function comparePolarity(
	claim: TextReading,
	sentence: TextReading,
	aligned: readonly AlignedWord[],
): Findings {
	const placed = aligned.filter(({ place }) => place === "sentence");
	const conflicts: Conflict[] = [];
	const opposite = placed.find(({ by, agrees }) => by === "opposite" && !agrees);
	if (opposite) {
		const { word, match } = opposite;
		const reason = `says "${match?.written}" where the claim says "${word.written}"`;
		conflicts.push({ reason, sureness: 0.9, of: "opposite" });
	}
	const denied =
		turnedBy(claim, placed, ({ word }) => word) ?? turnedBy(sentence, placed, ({ match }) => match);
	if (denied)
		conflicts.push({ reason: `only one of both denies ${denied}`, sureness: 0.85, of: "denial" });
	return { items: openNegation(claim, sentence, placed), conflicts };
}

/** Words that a negation of one text denies and that the other text has undenied; undefined when none does. */
function turnedBy(
	{ negations, words }: TextReading,
	placed: readonly AlignedWord[],
	ofThis: (pair: AlignedWord) => ReadWord | undefined,
): string | undefined {
	for (const [place, negation] of negations.entries()) {
		const heads = words.filter(({ deniedBy }) => deniedBy.includes(place));
		const pairs = placed.filter((pair) => ofThis(pair)?.deniedBy.includes(place));
		if (!isHeadPlaced(negation, heads, pairs.map(ofThis))) continue;
		const telling = pairs.filter(
			({ word, by }) => by !== "opposite" && (word.weight > 0.4 || isDirected(word)),
		);
		const turned = telling.filter(({ agrees }) => !agrees);
		if (turned.length <= telling.length - turned.length) continue;
		return turned
			.slice(0, 3)
			.map(({ word }) => `"${word.written}"`)
			.join(", ");
	}
	return undefined;
}

/** What "not" denies is its next word: where the other text lacks that, it denies something else. */
function isHeadPlaced(
	{ isDirect }: Negation,
	heads: readonly ReadWord[],
	placed: readonly (ReadWord | undefined)[],
): boolean {
	if (!isDirect) return true;
	const first = heads.find(
		({ weight, axes }) => weight > 0 || axes.some((axis) => axis.isDirected),
	);
	return first !== undefined && placed.includes(first);
}

function isDirected({ axes }: ReadWord): boolean {
	return axes.some((axis) => axis.isDirected);
}

/** What a claim denies must be found, denied or not: else a sentence without it seems to agree. */
function openNegation(
	claim: TextReading,
	sentence: TextReading,
	placed: readonly AlignedWord[],
): readonly Item[] {
	const isOpen =
		claim.negations.some(({ isGrammatical }) => isGrammatical) &&
		sentence.negations.length === 0 &&
		!placed.some(({ word, by }) => word.deniedBy.length > 0 || by === "opposite");
	return isOpen
		? [{ weight: 1, place: "nowhere", isEssential: true, isFigure: false, text: "its denial" }]
		: [];
}
