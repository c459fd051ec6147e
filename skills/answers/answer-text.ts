import {
	type CitedSentence,
	contentTerms,
	contentWords,
	coverageOf,
	toArticleAddress,
} from "../../src/evidence/evidence.js";
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
		/** The number of one source, given on first use. */
		numberOf,
		/** Sentences that stand one after the other, as a quotation with the numbers of their sources. */
		quote(sentences: readonly CitedSentence[]) {
			const sources = new Set(
				sentences.flatMap((sentence) => tellingSources(sentence).map(numberOf)),
			);
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

/** A summary rests on all sources of its concept: those are named whose titles say most of it. */
const SOURCES_MOST = 3;

function tellingSources({ text, sources }: CitedSentence): readonly Evidence[] {
	if (sources.length <= SOURCES_MOST) return sources;
	const terms = contentTerms(text);
	const shares = new Map(sources.map((one) => [one, coverageOf(contentWords(one.title), terms)]));
	const shareOf = (source: Evidence) => shares.get(source) ?? 0;
	return [...sources].sort((a, b) => shareOf(b) - shareOf(a)).slice(0, SOURCES_MOST);
}

/** "[1][2]" */
export function toMarks(numbers: readonly number[]): string {
	return numbers.map((n) => `[${n}]`).join("");
}

/** A table in Markdown, whose rows begin with their names; what is not known is a dash. */
export function toTableLines(
	columns: readonly string[],
	rows: readonly (readonly (string | undefined)[])[],
): readonly string[] {
	const toLine = (cells: readonly (string | undefined)[]) =>
		`| ${cells.map((cell = "–") => cell.replaceAll("|", "\\|")).join(" | ")} |`;
	return [
		toLine(["", ...columns]),
		`|---|${columns.map(() => "---|").join("")}`,
		...rows.map(toLine),
	];
}
