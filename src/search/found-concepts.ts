import type { Concept, Graph } from "../knowledge/graph.js";
import { isNameOf, MAX_NAME_WORDS } from "./concept-names.js";
import { coversAll, type WeighedWord } from "./query-coverage.js";
import type { RankedSlot } from "./ranking.js";
import { readsAlike } from "./segment.js";

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
	const canBeName =
		subject.length > 0 &&
		subject.length <= MAX_NAME_WORDS &&
		weighed.every(({ isKnown }) => isKnown);
	const rarestFirst = weighed.toSorted((one, other) => other.weight - one.weight);
	const found: Found[] = [];
	for (const slot of ranked) {
		const concept = conceptOf(slot);
		if (!concept) continue;
		// Names are indexed, so that only a concept with all the words can be called by them.
		const hasAll =
			canBeName && slot.lexical > 0 && coversAll(rarestFirst, slot.scope, slot.concept);
		const isNamed = hasAll && isNameOf(subject, concept);
		found.push({ slot, concept, isNamed, score: slot.score });
	}
	if (!found.some(({ isNamed }) => isNamed)) return found;
	const named = found.filter(({ isNamed }) => isNamed);
	return [
		...named.map((row) => ({ ...row, score: (1 + row.score) / 2 })),
		...found.filter(({ isNamed }) => !isNamed).map((row) => ({ ...row, score: row.score / 2 })),
	];
}

const conceptsByGraph = new WeakMap<Graph, ReadonlyMap<string, Concept>>();

/**
 * The caller's concept; undefined when the caller's version has it no more, has it with another text than the one that matched,
 * or has it so that it does not pass the filter.
 */
function conceptOf({ scope, concept }: RankedSlot): Concept | undefined {
	const indexed = scope.concepts[concept];
	if (scope.graph === scope.indexed || !indexed) return indexed;
	const own = conceptsOf(scope.graph).get(indexed.id);
	if (!own || own === indexed) return own;
	return readsAlike(indexed, own) && scope.passes(own) ? own : undefined;
}

function conceptsOf(graph: Graph): ReadonlyMap<string, Concept> {
	let byId = conceptsByGraph.get(graph);
	if (!byId) {
		byId = new Map(graph.concepts.map((concept) => [concept.id, concept]));
		conceptsByGraph.set(graph, byId);
	}
	return byId;
}
