import type { Clock } from "../core/clock.js";
import { readSigns } from "./answer-signs.js";
import { type Found, namedFirst } from "./found-concepts.js";
import type { IndexState, SearchScope } from "./index-state.js";
import { decide, statusOf } from "./judge.js";
import { weighWords } from "./query-coverage.js";
import { readQuery } from "./query-words.js";
import { type DenseFindings, rankConcepts } from "./ranking.js";
import type { RankedConcept, SearchOutcome, SearchRequest } from "./search.js";

/** Rows that are this much weaker than the best one are not worth anybody's money. */
export const ROW_FLOOR = 0.2;

export interface FindInput {
	readonly state: IndexState;
	readonly scopes: readonly SearchScope[];
	readonly request: Pick<SearchRequest, "query" | "limit" | "explain">;
	/** Undefined in keyword mode. */
	readonly dense: DenseFindings | undefined;
	readonly clock: Clock;
}

/** Ranks, judges and collects the rows of one query, in one go: nothing awaits. */
export function findConcepts(input: FindInput): SearchOutcome {
	const { state, scopes, request, dense, clock } = input;
	const startedAt = clock.monotonicMs();
	const words = readQuery(request.query);
	const ranked = rankConcepts({ state, scopes, words, dense });
	const rankedAt = clock.monotonicMs();

	const weighed = weighWords(words, scopes);
	const found = namedFirst(ranked, weighed);
	const signs = readSigns(weighed, found[0], ranked);
	const decision = decide(signs);
	const rows = decision === "ABSTAIN" ? [] : toRows(found, request.limit);
	return {
		decision,
		dataStatus: statusOf(decision, signs),
		rows,
		missing: weighed.filter(({ isKnown }) => !isKnown).map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
		timings: { search: rankedAt - startedAt, rank: clock.monotonicMs() - rankedAt },
	};
}

function toRows(found: readonly Found[], limit: number): readonly RankedConcept[] {
	const floor = (found[0]?.score ?? 0) * ROW_FLOOR;
	return found
		.filter(({ score }) => score > 0 && score >= floor)
		.slice(0, limit)
		.map(({ slot, concept, score }) => ({
			graph: slot.scope.graph,
			concept,
			score,
			evidence: concept.evidence,
			duplicates: [],
		}));
}
