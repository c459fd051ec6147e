import { type CitedSentence, toArticleAddress } from "../../src/evidence/evidence.js";
import type { Evidence } from "../../src/knowledge/knowledge.js";

/** Numbers sources in the order in which they are first cited; one that is cited again keeps its number. */
export function createSourceList() {
	const numbers = new Map<string, { readonly n: number; readonly source: Evidence }>();
	const numberOf = (source: Evidence): number => {
		const known = numbers.get(source.sourceUrl);
		if (known) return known.n;
		const n = numbers.size + 1;
		numbers.set(source.sourceUrl, { n, source });
		return n;
	};
	return {
		/** Sentences that stand one after the other, as a quotation with the numbers of their sources. */
		quote(sentences: readonly CitedSentence[]) {
			const sources = new Set(sentences.flatMap((sentence) => sentence.sources.map(numberOf)));
			return {
				text: sentences.map(({ text }) => text).join(" "),
				evidence_ids: sentences.map(({ evidenceId }) => evidenceId),
				sources: [...sources],
			};
		},
		toWire: () =>
			[...numbers.values()].map(({ n, source: { title, sourceUrl, publishedAt } }) => ({
				n,
				title,
				source_url: sourceUrl,
				published_at: publishedAt ?? null,
				publisher: toArticleAddress(sourceUrl)?.host ?? "",
			})),
	};
}

/** "[1][2]" */
export function toMarks(numbers: readonly number[]): string {
	return numbers.map((n) => `[${n}]`).join("");
}
