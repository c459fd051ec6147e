import {
	contentTerms,
	contentWords,
	type EvidencePassage,
} from "../../../src/evidence/evidence.js";
import type { Steps } from "../../../src/knowledge/knowledge.js";

/**
 * How much of each question's words passages hold, themselves and with their titles: a list for each question, a number for each
 * passage. A word counts by how few of the passages hold it.
 */
export function* measureWordShares(
	questions: readonly string[],
	passages: readonly EvidencePassage[],
): Steps<readonly (readonly number[])[]> {
	const held: { readonly own: ReadonlySet<string>; readonly all: ReadonlySet<string> }[] = [];
	for (const { text, heading = "", concept } of passages) {
		yield;
		const own = contentTerms(text);
		const names = contentTerms([concept.title, ...concept.aliases, heading].join("\n"));
		held.push({ own, all: new Set([...own, ...names]) });
	}
	const shares: (readonly number[])[] = [];
	for (const question of questions) {
		const words: { readonly word: readonly string[]; readonly weight: number }[] = [];
		for (const word of contentWords(question)) {
			yield;
			const count = held.filter(({ all }) => word.some((term) => all.has(term))).length;
			words.push({ word, weight: Math.log(1 + passages.length / (1 + count)) });
		}
		const total = words.reduce((sum, { weight }) => sum + weight, 0) || 1;
		const shareOf = (terms: ReadonlySet<string>) => {
			const there = words.filter(({ word }) => word.some((term) => terms.has(term)));
			return there.reduce((sum, { weight }) => sum + weight, 0) / total;
		};
		const own: number[] = [];
		for (const { own: inText, all } of held) {
			yield;
			own.push(shareOf(inText) + shareOf(all));
		}
		shares.push(own);
	}
	return shares;
}

/** Whether a text has a name as it is written, but for case and punctuation. */
export function isWrittenIn(text: string, name: string): boolean {
	return ` ${wordsOf(text)} `.includes(` ${wordsOf(name)} `);
}

function wordsOf(text: string): string {
	return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}
