import {
	contentTerms,
	contentWords,
	type EvidencePassage,
} from "../../../src/evidence/evidence.js";

/** How much of a question's words passages hold, themselves and with their titles: a word counts by how few of the passages hold it. */
export function createWordShares(
	passages: readonly EvidencePassage[],
): (question: string) => readonly number[] {
	const held = passages.map(({ text, heading = "", concept }) => {
		const own = contentTerms(text);
		const names = contentTerms([concept.title, ...concept.aliases, heading].join("\n"));
		return { own, all: new Set([...own, ...names]) };
	});
	return (question) => {
		const words = contentWords(question).map((word) => {
			const count = held.filter(({ all }) => word.some((term) => all.has(term))).length;
			return { word, weight: Math.log(1 + passages.length / (1 + count)) };
		});
		const total = words.reduce((sum, { weight }) => sum + weight, 0) || 1;
		const shareOf = (terms: ReadonlySet<string>) =>
			words.reduce(
				(sum, { word, weight }) => (word.some((term) => terms.has(term)) ? sum + weight : sum),
				0,
			) / total;
		return held.map(({ own, all }) => shareOf(own) + shareOf(all));
	};
}
