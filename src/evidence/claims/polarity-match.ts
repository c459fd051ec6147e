import type { Conflict, Findings, Item } from "./comparison-items.js";
import type { TextReading } from "./text-reading.js";
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
		conflicts.push({ reason, sureness: 0.9 });
	}
	const heads = placed.filter(
		({ word, match, by }) => by !== "opposite" && word.weight > 0 && (word.isDenied || match?.isDenied),
	);
	const turned = heads.filter(({ agrees }) => !agrees);
	if (turned.length > heads.length - turned.length) {
		const words = turned.map(({ word }) => `"${word.written}"`).slice(0, 3);
		conflicts.push({ reason: `only one of both denies ${words.join(", ")}`, sureness: 0.85 });
	}
	return { items: openNegation(claim, sentence, placed), conflicts };
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
		!placed.some(({ word, by }) => word.isDenied || by === "opposite");
	return isOpen ? [{ weight: 1, credit: 0, isOwn: false, isEssential: true, text: "its denial" }] : [];
}
