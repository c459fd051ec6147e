import type { Concept } from "../knowledge/graph.js";
import { isNameOf } from "./concept-names.js";
import { coversAll, type WeighedWord } from "./query-coverage.js";
import type { RankedSlot } from "./ranking.js";

/** A ranked slot with the concept it stands for. */
export interface Found {
	readonly slot: RankedSlot;
	readonly concept: Concept;
	readonly score: number;
	readonly isNamed: boolean;
}

/** Who asks for a thing by its name gets that thing first; below it, and among several of that name, relevance decides. */
export function namedFirst(
	ranked: readonly RankedSlot[],
	weighed: readonly WeighedWord[],
): readonly Found[] {
	const subject = weighed.map(({ word }) => word);
	const found = ranked.flatMap((slot) => {
		const concept = conceptOf(slot);
		if (!concept) return [];
		// Names are indexed, so that only a concept with all the words can be called by them.
		const hasAll = slot.lexical > 0 && coversAll(weighed, slot.scope, slot.concept);
		const isNamed = hasAll && isNameOf(subject, concept);
		return [{ slot, concept, isNamed, score: slot.score }];
	});
	const named = found.filter(({ isNamed }) => isNamed);
	if (named.length === 0) return found;
	return [
		...named.map((row) => ({ ...row, score: (1 + row.score) / 2 })),
		...found.filter(({ isNamed }) => !isNamed).map((row) => ({ ...row, score: row.score / 2 })),
	];
}

/** The caller's concept: the indexed one when the caller knows that version, else by id; undefined when it is gone. */
function conceptOf({ scope, concept }: RankedSlot): Concept | undefined {
	const indexed = scope.concepts[concept];
	if (scope.graph === scope.indexed || !indexed) return indexed;
	return scope.graph.concepts.find((candidate) => candidate.id === indexed.id);
}
