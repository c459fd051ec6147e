import type { Clock } from "../../kernel/kernel.js";
import { weighWords } from "../lexical/query-coverage.js";
import { readSigns } from "./answer-signs.js";
import { namedFirst } from "./found-concepts.js";
import { decide, statusOf } from "./judge.js";
import { type RankRequest, rankConcepts, readWords } from "./ranking.js";
import { collectRows } from "./row-collection.js";
import type { SearchOutcome, SearchRequest } from "./search-outcome.js";

export interface FindInput extends Omit<RankRequest, "words"> {
	readonly request: Pick<SearchRequest, "query" | "limit" | "explain" | "filter">;
	readonly clock: Clock;
	/** Words of the language, lower case: they are not taken for misspelt. */
	readonly commonWords?: ReadonlySet<string> | undefined;
}

/** Ranks, judges and collects the rows of one query, in one go: nothing awaits. */
export function findConcepts({ request, clock, commonWords, ...input }: FindInput): SearchOutcome {
	const { scopes, dense } = input;
	const startedAt = clock.monotonicMs();
	const words = readWords(request.query, scopes, commonWords);
	const { ranked, lexical } = rankConcepts({ ...input, words });
	const rankedAt = clock.monotonicMs();

	const weighed = weighWords(words, scopes);
	const found = namedFirst(ranked, weighed);
	const signs = readSigns(weighed, found, { scopes, commonWords });
	const decision = decide(signs);
	const rows = decision === "ABSTAIN" ? [] : collectRows(found, { ...request, weighed, lexical });
	return {
		decision,
		dataStatus: statusOf(decision, signs),
		rows,
		missing: weighed.filter(({ isKnown }) => !isKnown).map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
		timings: { search: rankedAt - startedAt, rank: clock.monotonicMs() - rankedAt },
	};
}
