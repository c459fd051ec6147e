import type { Clock } from "../core/clock.js";
import type { Concept } from "../knowledge/graph.js";
import { headingTermsOf, isNameOf } from "./concept-names.js";
import { type IndexState, toScopes } from "./index-state.js";
import { type AnswerSigns, decide, statusOf } from "./judge.js";
import {
	coverageByTerms,
	coverageOf,
	coversAll,
	isMissingIdentifier,
	knownShareOf,
	type WeighedWord,
	weighWords,
} from "./query-coverage.js";
import { readQuery } from "./query-words.js";
import { type RankedSlot, rankConcepts } from "./ranking.js";
import type { RankedConcept, SearchOutcome, SearchRequest } from "./search.js";

/** Rows that are this much weaker than the best one are not worth anybody's money. */
const ROW_FLOOR = 0.2;
const AGREEMENT_RANKS = 3;

export interface FindInput {
	readonly state: IndexState;
	readonly request: Pick<SearchRequest, "graphs" | "query" | "limit">;
	/** Undefined in keyword mode. */
	readonly vector: Float32Array | undefined;
	readonly clock: Clock;
}

/** Ranks, judges and collects the rows of one query, in one go: nothing awaits. */
export function findConcepts({ state, request, vector, clock }: FindInput): SearchOutcome {
	const startedAt = clock.monotonicMs();
	const scopes = toScopes(state, request.graphs);
	const words = readQuery(request.query);
	const ranked = rankConcepts({ state, scopes, words, vector });
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
		mode: vector ? "hybrid" : "keyword",
		timings: { search: rankedAt - startedAt, rank: clock.monotonicMs() - rankedAt },
	};
}

interface Found {
	readonly slot: RankedSlot;
	readonly concept: Concept;
	readonly score: number;
	readonly isNamed: boolean;
}

/** Who asks for a thing by its name gets that thing first; below it, and among several of that name, relevance decides. */
function namedFirst(
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

/** The caller's concept: by place when the index knows this very version, else by id; undefined when it is gone. */
function conceptOf({ scope, concept }: RankedSlot): Concept | undefined {
	const { graph, segment } = scope;
	if (graph.contentHash === segment.contentHash) return graph.concepts[concept];
	const id = segment.conceptIds[concept];
	return graph.concepts.find((candidate) => candidate.id === id);
}

function readSigns(
	weighed: readonly WeighedWord[],
	best: Found | undefined,
	ranked: readonly RankedSlot[],
): AnswerSigns {
	const common = {
		subjectWords: best ? weighed.length : 0,
		known: knownShareOf(weighed),
		lacksIdentifier: weighed.some(isMissingIdentifier),
	};
	if (!best) {
		const none = { coverage: 0, headingCoverage: 0, cosine: undefined };
		return { ...common, ...none, isAgreed: false, isNamed: false };
	}
	const { slot, concept } = best;
	return {
		...common,
		coverage: coverageOf(weighed, slot.scope, slot.concept),
		headingCoverage: coverageByTerms(weighed, headingTermsOf(concept)),
		cosine: slot.cosine,
		isAgreed: isAgreed(slot, ranked),
		isNamed: best.isNamed,
	};
}

function isAgreed(best: RankedSlot, ranked: readonly RankedSlot[]): boolean {
	const better = (isBetter: (other: RankedSlot) => boolean) => ranked.filter(isBetter).length;
	return (
		better((other) => other.lexical > best.lexical) < AGREEMENT_RANKS &&
		better((other) => (other.cosine ?? 0) > (best.cosine ?? 0)) < AGREEMENT_RANKS
	);
}

function toRows(found: readonly Found[], limit: number): readonly RankedConcept[] {
	const floor = (found[0]?.score ?? 0) * ROW_FLOOR;
	return found
		.filter(({ score }) => score > 0 && score >= floor)
		.slice(0, limit)
		.map(({ slot, concept, score }) => ({ graph: slot.scope.graph, concept, score }));
}
