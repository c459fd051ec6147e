import type { Conflict, Findings } from "./comparison-items.js";
import type { TextReading } from "./text-reading.js";
import type { AlignedWord } from "./word-alignment.js";

/** Words between two things of which each has its own part: who comes before whom, what is more than what. */
const PIVOT =
	/\b(?<word>than|over|before|after|instead of|rather than|replac|obsolet|supersed|preced|extend|outperform|based on|part of|contain|beat)(?:\w*)(?<by>\s+by)?\b/giu;
/** Words on either side that belong to the pivot. */
const REACH_CHARS = 60;

/** The same things on the other sides of the same word: "dates take precedence over tags" against "tags over dates". */
export function compareRoles(
	claim: TextReading,
	sentence: TextReading,
	aligned: readonly AlignedWord[],
): Findings {
	const conflicts: Conflict[] = [];
	for (const pivot of claim.text.matchAll(PIVOT)) {
		const there = [...sentence.text.matchAll(PIVOT)].filter(
			(found) => wordOf(found) === wordOf(pivot),
		);
		const [only] = there;
		if (there.length !== 1 || !only) continue;
		const sides = [
			...wordSides(aligned, pivot.index, only.index),
			...nameSides(claim, sentence, pivot.index, only.index),
		];
		// "A replaced B" is "B was replaced by A".
		const isPassive = (pivot.groups?.["by"] === undefined) !== (only.groups?.["by"] === undefined);
		const turned = sides.filter(({ here, there }) => (here !== there) !== isPassive);
		const isBothWays = turned.some(({ here }) => here) && turned.some(({ here }) => !here);
		const isTold = 2 * weightOf(turned) > weightOf(sides);
		if (isBothWays && isTold) {
			const reason = `has what stands before and behind "${only[0]}" the other way round`;
			conflicts.push({ reason, sureness: 0.9, of: "opposite" });
		}
	}
	return { items: [], conflicts };
}

function wordOf({ groups }: RegExpExecArray): string | undefined {
	return groups?.["word"]?.toLowerCase();
}

/** Whether something stands before the pivot, in the claim and in the sentence. */
interface Sides {
	readonly here: boolean;
	readonly there: boolean;
	readonly weight: number;
}

const NAME_WEIGHT = 1;

function weightOf(sides: readonly Sides[]): number {
	return sides.reduce((sum, { weight }) => sum + weight, 0);
}

function wordSides(aligned: readonly AlignedWord[], at: number, there: number): readonly Sides[] {
	return aligned.flatMap(({ word, match, by }) => {
		const isNear =
			match &&
			by === "word" &&
			word.weight > 0 &&
			Math.abs(word.start - at) <= REACH_CHARS &&
			Math.abs(match.start - there) <= REACH_CHARS;
		if (!isNear) return [];
		return [{ here: word.start < at, there: match.start < there, weight: word.weight }];
	});
}

function nameSides(
	claim: TextReading,
	sentence: TextReading,
	at: number,
	there: number,
): readonly Sides[] {
	return claim.names.flatMap((name) => {
		const other = sentence.names.find(({ key }) => key === name.key);
		const isNear =
			other &&
			Math.abs(name.start - at) <= REACH_CHARS &&
			Math.abs(other.start - there) <= REACH_CHARS;
		if (!isNear) return [];
		return [{ here: name.start < at, there: other.start < there, weight: NAME_WEIGHT }];
	});
}
