import type { IndexState, SearchScope } from "./index-state.js";
import { scoreLexical } from "./lexical-index.js";
import { identifierShareOf, toQueryTerms } from "./query-words.js";
import { type Candidate, denseWeightFor, type FusedCandidate, fuseRanks } from "./rank-fusion.js";
import { selectTop } from "./select-top.js";
import type { Word } from "./tokenizer.js";

/** Candidates each side sends into the fusion; also how many are rescored in float. */
const POOL = 50;

/** A fused candidate and where its concept is. */
export interface RankedSlot extends FusedCandidate {
	readonly scope: SearchScope;
	/** Position of the concept in its segment. */
	readonly concept: number;
}

export interface RankRequest {
	readonly state: IndexState;
	readonly scopes: readonly SearchScope[];
	readonly words: readonly Word[];
	/** Undefined in keyword mode. */
	readonly vector: Float32Array | undefined;
}

/** The best concepts of the scopes by both sides together, best first, equal scores by id. */
export function rankConcepts(request: RankRequest): readonly RankedSlot[] {
	const { scopes, vector } = request;
	const lexicalTop = selectLexical(request);
	const denseTop = vector ? selectDense(request, vector) : [];
	const { lexicalScores, denseScores } = request.state;
	const closest = new Set(denseTop);
	const cosineOf = (slot: number): number | undefined => {
		if (!vector) return undefined;
		return closest.has(slot) ? rescore(request, vector, slot) : denseScores[slot];
	};
	const candidates: Candidate[] = [...new Set([...lexicalTop, ...denseTop])].map((slot) => ({
		slot,
		lexical: lexicalScores[slot] ?? 0,
		cosine: cosineOf(slot),
	}));
	return fuseRanks(candidates, denseWeightFor(identifierShareOf(request.words)))
		.map((fused) => locate(fused, scopes))
		.sort((a, b) => b.score - a.score || (idOf(a) < idOf(b) ? -1 : 1));
}

function selectLexical({ state, scopes, words }: RankRequest): readonly number[] {
	const scores = state.lexicalScores;
	for (const scope of scopes) scores.fill(0, scope.base, endOf(scope));
	const indexes = scopes.map(({ segment, base }) => ({ index: segment.lexical, base }));
	scoreLexical(toQueryTerms(words), indexes, scores);
	return selectOver(scores, scopes);
}

function selectDense({ state, scopes }: RankRequest, vector: Float32Array): readonly number[] {
	for (const { base, densePosition } of scopes) {
		if (densePosition !== undefined)
			state.dense?.scan(vector, densePosition, state.denseScores, base);
	}
	return selectOver(state.denseScores, scopes);
}

function selectOver(scores: Float32Array, scopes: readonly SearchScope[]): readonly number[] {
	let top: number[] = [];
	for (const scope of scopes) {
		top = selectTop(scores, { from: scope.base, to: endOf(scope) }, POOL, top);
	}
	return top;
}

function rescore({ state, scopes }: RankRequest, vector: Float32Array, slot: number): number {
	const scope = scopeOf(slot, scopes);
	if (scope.densePosition === undefined || !state.dense) return 0;
	return state.dense.rescore(vector, scope.densePosition, slot - scope.base);
}

function locate(fused: FusedCandidate, scopes: readonly SearchScope[]): RankedSlot {
	const scope = scopeOf(fused.slot, scopes);
	const concept = fused.slot - scope.base;
	const score = fused.score * (scope.segment.priors[concept] ?? 1);
	return { slot: fused.slot, lexical: fused.lexical, cosine: fused.cosine, score, scope, concept };
}

/** `<graph id>:<concept id>`: what decides between equal scores. */
function idOf({ scope: { segment }, concept }: RankedSlot): string {
	return `${segment.graphId}:${segment.conceptIds[concept]}`;
}

function scopeOf(slot: number, scopes: readonly SearchScope[]): SearchScope {
	const scope = scopes.findLast(({ base }) => base <= slot);
	if (!scope) throw new RangeError(`Slot ${slot} lies in none of the searched graphs.`);
	return scope;
}

function endOf({ base, segment }: SearchScope): number {
	return base + segment.conceptIds.length;
}
