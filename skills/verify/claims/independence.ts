import {
	type CitedSentence,
	contentTerms,
	toArticleAddress,
} from "../../../src/evidence/evidence.js";
import { findPublisher } from "./source-tiers.js";

/** Share of words in common from which two sentences are one told twice. */
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
	const terms = sentences.map(({ text }) => contentTerms(text));
	for (const [index, sentence] of sentences.entries()) {
		for (const origin of originsOf(sentence)) {
			const first = firstWith.get(origin);
			if (first === undefined) firstWith.set(origin, index);
			else parents[find(index)] = find(first);
		}
		for (let other = 0; other < index; other++) {
			if (likeness(terms[index], terms[other]) >= SAME_TEXT) parents[find(index)] = find(other);
		}
	}
	const numbers = new Map<number, number>();
	return sentences.map((_, index) => {
		const root = find(index);
		const number = numbers.get(root) ?? numbers.size + 1;
		numbers.set(root, number);
		return number;
	});
}

/** A sentence with several owners behind it joins none of their groups but those of its documents. */
function originsOf({ sources }: CitedSentence): readonly string[] {
	const documents = sources.flatMap(({ sourceUrl }) => toArticleAddress(sourceUrl)?.text ?? []);
	const owners = new Set(sources.map((source) => findPublisher(source).owner));
	const [only, ...more] = owners;
	return more.length === 0 && only !== undefined ? [...documents, `owner ${only}`] : documents;
}

function likeness(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): number {
	if (!a || !b || a.size === 0 || b.size === 0) return 0;
	const shared = [...a].filter((term) => b.has(term)).length;
	return shared / (a.size + b.size - shared);
}
