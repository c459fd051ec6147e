import {
	type CitedSentence,
	contentTerms,
	findPublisher,
	jaccard,
	type SourceTier,
	toArticleAddress,
} from "../../../src/evidence/evidence.js";
import type { Evidence } from "../../../src/knowledge/knowledge.js";

/** The best tier among sources; 3 where there are none. */
export function bestTier(sources: readonly Evidence[]): SourceTier {
	const tiers = sources.map((source) => findPublisher(source).tier);
	return tiers.length === 0 ? 3 : (Math.min(...tiers) as SourceTier);
}

/** Share of words in common from which two sentences count as one. */
const SAME_TEXT = 0.8;

/**
 * Groups sentences whose evidence is not independent: one cited document, one owner of the sources, or nearly the same
 * words. Answers a group's number, from 1, for each; sentences of one group count once.
 */
export function groupByOrigin(sentences: readonly CitedSentence[]): readonly number[] {
	const parents = sentences.map((_, index) => index);
	const find = (index: number): number => {
		let root = index;
		while (parents[root] !== root) root = parents[root] ?? root;
		return root;
	};
	const firstWith = new Map<string, number>();
	const terms: ReadonlySet<string>[] = [];
	for (const [index, sentence] of sentences.entries()) {
		for (const origin of originsOf(sentence)) {
			const first = firstWith.get(origin);
			if (first === undefined) firstWith.set(origin, index);
			else parents[find(index)] = find(first);
		}
		const own = contentTerms(sentence.text);
		for (const [other, known] of terms.entries()) {
			if (jaccard(own, known) >= SAME_TEXT) parents[find(index)] = find(other);
		}
		terms.push(own);
	}
	const roots = sentences.map((_, index) => find(index));
	const inOrder = [...new Set(roots)];
	return roots.map((root) => inOrder.indexOf(root) + 1);
}

/** A sentence with several owners behind it joins none of their groups but those of its documents. */
function originsOf({ sources }: CitedSentence): readonly string[] {
	const documents = sources.flatMap(({ sourceUrl }) => toArticleAddress(sourceUrl)?.text ?? []);
	const owners = new Set(sources.map((source) => findPublisher(source).owner));
	const [only, ...more] = owners;
	return more.length === 0 && only !== undefined ? [...documents, `owner ${only}`] : documents;
}
