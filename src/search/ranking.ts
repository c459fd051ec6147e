import type { DenseHits, DenseSide } from "./dense-side.js";
import type { IndexState, SearchScope } from "./index-state.js";
import { scoreLexical } from "./lexical-index.js";
import { identifierShareOf, toQueryTerms } from "./query-words.js";
import { type Candidate, denseWeightFor, type FusedCandidate, fuseRanks } from "./rank-fusion.js";
import { selectTop } from "./select-top.js";
import type { Word } from "./tokenizer.js";

/** Candidates each side sends into the fusion; also how many are rescored in float. */
export const POOL = 50;

/** A fused candidate and where its concept is. */
export interface RankedSlot extends FusedCandidate {
	readonly scope: SearchScope;
	/** Position of the concept in its segment. */
	readonly concept: number;
}

/** What the dense side found, and how to ask it about what only the other side found. */
export interface DenseFindings {
	readonly hits: DenseHits;
	readonly cosineOf: DenseSide["cosineOf"];
}

export interface RankRequest {
	readonly state: IndexState;
	readonly scopes: readonly SearchScope[];
	readonly words: readonly Word[];
	/** Undefined in keyword mode. */
	readonly dense: DenseFindings | undefined;
}

/** The best concepts of the scopes by both sides together, best first, equal scores by id. */
export function rankConcepts(request: RankRequest): readonly RankedSlot[] {
	const { scopes, dense } = request;
	const lexicalTop = selectLexical(request);
	const { lexicalScores } = request.state;
	const cosines = new Map(
		dense?.hits.slots.map((slot, rank) => [slot, dense.hits.cosines[rank] ?? 0]),
	);
	const cosineOf = (slot: number): number | undefined =>
		dense && (cosines.get(slot) ?? cosineBetween(dense, scopeOf(slot, scopes), slot));
	const candidates: Candidate[] = [...new Set([...lexicalTop, ...cosines.keys()])].map((slot) => ({
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
	let top: number[] = [];
	for (const scope of scopes) {
		leaveOut(scores, scope);
		top = selectTop(scores, { from: scope.base, to: endOf(scope) }, POOL, top);
	}
	return top;
}

function leaveOut(scores: Float32Array, { mask, base }: SearchScope): void {
	if (!mask) return;
	for (let document = 0; document < mask.length; document++) {
		if (mask[document] === 0) scores[base + document] = 0;
	}
}

function cosineBetween(dense: DenseFindings, scope: SearchScope, slot: number): number {
	if (!scope.vectors) return 0;
	return dense.cosineOf(dense.hits.vector, scope.vectors, slot - scope.base);
}

function locate(fused: FusedCandidate, scopes: readonly SearchScope[]): RankedSlot {
	const scope = scopeOf(fused.slot, scopes);
	const concept = fused.slot - scope.base;
	return { ...fused, score: fused.score * (scope.priors[concept] ?? 1), scope, concept };
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
