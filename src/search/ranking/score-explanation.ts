import type { LexicalFindings } from "../lexical/lexical-search.js";
import { coverageOf, type WeighedWord } from "../lexical/query-coverage.js";
import type { Found } from "./found-concepts.js";
import type { ScoreExplanation } from "./search-outcome.js";

/**
 * What a row's score was made of. score = (denseWeight × denseShare + (1 − denseWeight) × lexicalShare) × prior + graph; where a
 * row of the answer is named by the query, named ones have (1 + score) / 2 and the others score / 2.
 */
export function explainScore(
	{ slot, isNamed }: Found,
	weighed: readonly WeighedWord[],
	lexical: LexicalFindings,
): ScoreExplanation {
	const isHybrid = slot.cosine !== undefined;
	return {
		bm25: slot.lexical,
		lexicalShare: slot.lexicalShare,
		cosine: slot.cosine,
		denseShare: isHybrid ? slot.denseShare : undefined,
		denseWeight: slot.denseWeight,
		graph: slot.graph,
		prior: slot.prior,
		coverage: coverageOf(weighed, slot.scope, slot.concept),
		isNamed,
		terms: lexical.partsOf(slot.slot),
	};
}
