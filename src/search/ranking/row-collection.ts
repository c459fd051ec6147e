import type { ConceptFilter } from "../index/concept-filter.js";
import type { LexicalFindings } from "../lexical/lexical-search.js";
import type { WeighedWord } from "../lexical/query-coverage.js";
import { orderEvidence } from "./evidence-order.js";
import type { Found } from "./found-concepts.js";
import { type ComparableRow, saysTheSame, toComparable } from "./near-duplicates.js";
import { explainScore } from "./score-explanation.js";
import type { RankedConcept } from "./search-outcome.js";

/** Rows that are this much weaker than the best one are not worth anybody's money. */
export const ROW_FLOOR = 0.2;

const LOOKED_AT = 2;

interface CollectOptions {
	readonly limit: number;
	readonly weighed: readonly WeighedWord[];
	readonly lexical: LexicalFindings;
	readonly filter?: ConceptFilter | undefined;
	readonly explain?: boolean | undefined;
}

/** The rows of an answer, best first; what says the same as a better row is only named there. */
export function collectRows(
	found: readonly Found[],
	{ limit, weighed, lexical, filter, explain }: CollectOptions,
): readonly RankedConcept[] {
	const floor = (found[0]?.score ?? 0) * ROW_FLOOR;
	const worthy = found.filter(({ score }) => score > 0 && score >= floor);
	return collapse(worthy, limit).map(({ row, duplicates }) => ({
		graph: row.slot.scope.graph,
		concept: row.concept,
		score: row.score,
		evidence: orderEvidence(row.concept.evidence, weighed, filter),
		duplicates: duplicates.map((duplicate) => nameOf(duplicate, row)),
		...(explain && { explanation: explainScore(row, weighed, lexical) }),
	}));
}

interface Collapsed {
	readonly row: Found;
	readonly comparable: ComparableRow;
	readonly duplicates: Found[];
}

function collapse(found: readonly Found[], limit: number): readonly Collapsed[] {
	const kept: Collapsed[] = [];
	// What says the same scores alike: further down there is nothing to look for.
	for (const row of found.slice(0, LOOKED_AT * limit)) {
		const { concept, slot } = row;
		const { lexicalShare, cosine } = slot;
		const comparable = toComparable({ concept, lexicalShare, cosine });
		const twin = kept.find((other) => saysTheSame(other.comparable, comparable));
		if (twin) twin.duplicates.push(row);
		else if (kept.length < limit) kept.push({ row, comparable, duplicates: [] });
	}
	return kept;
}

function nameOf(duplicate: Found, { slot }: Found): string {
	const { graphId } = duplicate.slot.scope.segment;
	const { id } = duplicate.concept;
	return graphId === slot.scope.segment.graphId ? id : `${graphId}:${id}`;
}
