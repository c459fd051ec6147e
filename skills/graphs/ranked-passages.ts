import { LRUCache } from "lru-cache";
import { READING_LIMITS } from "../../src/contract/contract.js";
import type { Concept, Steps } from "../../src/knowledge/knowledge.js";
import { termsOf, tokenize } from "../../src/search/search.js";
import {
	type CitedPassage,
	type PackCandidate,
	readCitedPassages,
} from "./reading/context-pack.js";

/** A passage and hashes of its distinct terms: they take less room than the text. */
interface ReadPassage {
	readonly passage: CitedPassage;
	readonly terms: Uint32Array;
}

interface ReadConcept {
	readonly passages: readonly ReadPassage[];
	readonly chars: number;
}

/** What a pack is made of, read as far as it is taken; undefined where others may be served meanwhile. */
export type Ranked = Generator<PackCandidate | undefined, void>;

/** Ranks passages of concepts for a query. What was read of the concepts asked for last is remembered. */
export function createPassageRanking() {
	const kept = new LRUCache<Concept, ReadConcept>({
		maxSize: READING_LIMITS.passagesKeptChars,
		// Text that cites nothing has no characters, and the cache takes no size of zero.
		sizeCalculation: ({ chars }) => Math.max(1, chars),
	});

	/**
	 * Of each concept the passage with most of the query's words, concept by concept; then what else has any of them, the same
	 * way. Concepts after the first so many characters are not looked at.
	 */
	return function* rank(query: string, concepts: readonly Concept[]): Ranked {
		const wanted = new Set(hashesIn(query));
		const others: PackCandidate[][] = [];
		let chars = 0;
		for (const concept of concepts) {
			const read = kept.get(concept) ?? (yield* readConcept(concept));
			kept.set(concept, read);
			const [best, ...rest] = byOverlap(read, wanted, concept);
			if (best) yield best.candidate;
			others.push(rest.filter(({ overlap }) => overlap > 0).map(({ candidate }) => candidate));
			chars += read.chars;
			if (chars >= READING_LIMITS.contextChars) break;
		}
		for (const candidates of others) yield* candidates;
	};
}

function* readConcept(concept: Concept): Steps<ReadConcept> {
	const passages: ReadPassage[] = [];
	let chars = 0;
	for (const passage of yield* readCitedPassages(concept)) {
		passages.push({ passage, terms: Uint32Array.from(hashesIn(passage.text)) });
		chars += passage.text.length;
		yield;
	}
	return { passages, chars };
}

function byOverlap({ passages }: ReadConcept, wanted: ReadonlySet<number>, concept: Concept) {
	return passages
		.map(({ passage, terms }) => ({
			candidate: { ...passage, concept },
			overlap: terms.reduce((count, term) => (wanted.has(term) ? count + 1 : count), 0),
		}))
		.sort((a, b) => b.overlap - a.overlap);
}

function hashesIn(text: string): ReadonlySet<number> {
	return new Set(
		tokenize(text)
			.filter(({ isStopWord }) => !isStopWord)
			.flatMap(termsOf)
			.map(hashOf),
	);
}

/** FNV-1a over the code units. */
function hashOf(term: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < term.length; at++) {
		hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
	}
	return hash >>> 0;
}
