import type { DenseHits, DenseSide } from "../dense/dense-side.js";
import type { SearchScope } from "../index/index-state.js";
import { type LexicalFindings, searchLexical } from "../lexical/lexical-search.js";
import { expandWords, identifierShareOf, readQuery, toQueryTerms } from "../lexical/query-words.js";
import type { Word } from "../lexical/tokenizer.js";
import type { LinkGraph } from "./link-graph.js";
import { type RelatedSlot, relatedSlots } from "./related-slots.js";

/** Candidates each side sends into the fusion; also how many are rescored in float. */
export const POOL = 50;
/** Less related than this is not looked at unless a side found it. */
const LEAST_RELATED = 0.18;
const MAX_BRIDGES = 20;

/** A candidate with what either side thinks of it, how that adds up, and where its concept is. */
export interface RankedSlot {
	/** Position in the index. */
	readonly slot: number;
	/** BM25, from zero up. */
	readonly lexical: number;
	/** Cosine; undefined in keyword mode. */
	readonly cosine: number | undefined;
	/** Each side's score as a share of the best candidate's, 0..1, and the dense side's share of their mix. */
	readonly lexicalShare: number;
	readonly denseShare: number;
	readonly denseWeight: number;
	/** 0..1 within this answer. */
	readonly fused: number;
	readonly scope: SearchScope;
	/** Position of the concept in its segment. */
	readonly concept: number;
	/** Factor for how much of the graph builds on the concept and for its status, at most 1. */
	readonly prior: number;
	/** What links, shared evidence and entities added, 0..1. */
	readonly graph: number;
	/** fused × prior + graph, 0..1. */
	readonly score: number;
}

/** What the dense side found, and how to ask it about what only the other side found. */
export interface DenseFindings {
	readonly hits: DenseHits;
	readonly cosineOf: DenseSide["cosineOf"];
}

export interface RankRequest {
	readonly scopes: readonly SearchScope[];
	readonly words: readonly Word[];
	/** Undefined in keyword mode. */
	readonly dense: DenseFindings | undefined;
	/** Undefined while it is being built. */
	readonly links?: LinkGraph | undefined;
	/** Where not as learned. */
	readonly weights?: RankWeights | undefined;
}

/** The words of a query as the searched graphs know them. */
export function readWords(
	query: string,
	scopes: readonly SearchScope[],
	commonWords: ReadonlySet<string> = new Set(),
): readonly Word[] {
	return expandWords(readQuery(query), { scopes, commonWords });
}

/**
 * The best concepts of the scopes by both sides and the links together, best first, equal scores by id, and how the lexical
 * scores came about.
 */
export function rankConcepts(request: RankRequest) {
	const { scopes, words, dense, links, weights = RANK_WEIGHTS } = request;
	const lexical = searchLexical(toQueryTerms(words), scopes, POOL);
	const found = findCandidates(lexical, dense, scopes);
	const matches = [...found.values()];
	const fuse = createFusion(matches, identifierShareOf(words), weights);
	for (const match of matches) score(match, fuse);
	matches.sort(byScore);
	if (!links) return { ranked: matches, lexical };
	const related = relatedSlots(links, scopes, matches);
	const bridges = bridgesAmong(related, found).map(([slot, share]) => {
		const bridge = locate(slot, lexical.scoreOf(slot), scopes);
		bridge.cosine = dense && cosineOf(bridge, dense);
		score(bridge, fuse);
		raise(bridge, weights.graph * share);
		return bridge;
	});
	for (const [slot, share] of related) {
		const match = found.get(slot);
		if (match) raise(match, weights.graph * share);
	}
	return { ranked: matches.concat(bridges).sort(byScore), lexical };
}

/** What either side found, by slot, with what both think of it. */
function findCandidates(
	lexical: LexicalFindings,
	dense: DenseFindings | undefined,
	scopes: readonly SearchScope[],
): Map<number, Located> {
	const found = new Map<number, Located>();
	const { slots, scores } = lexical;
	for (let rank = 0; rank < slots.length; rank++) {
		const slot = slots[rank] as number;
		found.set(slot, locate(slot, scores[rank] as number, scopes));
	}
	if (!dense) return found;
	const { hits } = dense;
	for (let rank = 0; rank < hits.slots.length; rank++) {
		const slot = hits.slots[rank] as number;
		const match = found.get(slot) ?? locate(slot, lexical.scoreOf(slot), scopes);
		match.cosine = hits.cosines[rank];
		found.set(slot, match);
	}
	for (const slot of slots) {
		const match = found.get(slot);
		if (match) match.cosine ??= cosineOf(match, dense);
	}
	return found;
}

/** What neither side found but the best matches lead to. */
function bridgesAmong(
	related: readonly RelatedSlot[],
	found: ReadonlyMap<number, unknown>,
): readonly RelatedSlot[] {
	return related
		.filter(([slot, share]) => share >= LEAST_RELATED && !found.has(slot))
		.sort(([slot, share], [other, otherShare]) => otherShare - share || slot - other)
		.slice(0, MAX_BRIDGES);
}

/** A row that the best ones lead to rises towards a full score, the more the less it matched itself. */
function raise(match: Located, share: number): void {
	match.graph = share * (1 - match.score);
	match.score += match.graph;
}

function cosineOf({ scope, concept }: Located, { hits, cosineOf }: DenseFindings): number {
	return scope.vectors ? cosineOf(hits.vector, scope.vectors, concept) : 0;
}

/** A slot whose score is being made: copying it at every step is what a search would spend most of its time on. */
type Located = { -readonly [Key in keyof RankedSlot]: RankedSlot[Key] };

function locate(slot: number, lexical: number, scopes: readonly SearchScope[]): Located {
	const scope = scopeOf(slot, scopes);
	const concept = slot - scope.base;
	return {
		slot,
		lexical,
		cosine: undefined,
		lexicalShare: 0,
		denseShare: 0,
		denseWeight: 0,
		fused: 0,
		scope,
		concept,
		prior: scope.priors[concept] ?? 1,
		graph: 0,
		score: 0,
	};
}

function score(match: Located, fuse: ReturnType<typeof createFusion>): void {
	const { lexicalShare, denseShare, denseWeight, fused } = fuse(match);
	match.lexicalShare = lexicalShare;
	match.denseShare = denseShare;
	match.denseWeight = denseWeight;
	match.fused = fused;
	match.score = fused * match.prior;
}

function byScore(one: RankedSlot, other: RankedSlot): number {
	if (one.score !== other.score) return one.score > other.score ? -1 : 1;
	return idOf(one) < idOf(other) ? -1 : 1;
}

/** `<graph id>:<concept id>`: what decides between equal scores. */
function idOf({ scope: { segment }, concept }: RankedSlot): string {
	return `${segment.graphId}:${segment.conceptIds[concept]}`;
}

function scopeOf(slot: number, scopes: readonly SearchScope[]): SearchScope {
	let at = scopes.length - 1;
	while (at > 0 && (scopes[at] as SearchScope).base > slot) at--;
	const scope = scopes[at];
	if (!scope || scope.base > slot)
		throw new RangeError(`Slot ${slot} lies in none of the searched graphs.`);
	return scope;
}

/** For models whose cosines lie elsewhere than those the weights were learned with. */
const DENSE_LIMITS = { least: 0.35, most: 0.8 } as const;

/**
 * The dense side's share for a query with this share of identifiers, 0..1, and this closest passage: the closer that is, the
 * more the vectors know; identifiers they distinguish badly, 9110 from 9111.
 */
export function denseWeightFor(
	identifierShare: number,
	bestCosine: number,
	weights: RankWeights = RANK_WEIGHTS,
): number {
	const { denseAtZero, densePerCosine, identifierShift } = weights;
	const learned = denseAtZero + densePerCosine * bestCosine;
	const share = Math.min(DENSE_LIMITS.most, Math.max(DENSE_LIMITS.least, learned));
	return Math.max(0, share - identifierShift * identifierShare);
}

type Matched = Pick<RankedSlot, "lexical" | "cosine">;

/**
 * Scores any candidate against the best of those found: a convex combination of both sides, each divided by its best score
 * with zero as the floor.
 * Ranks agree on order, not on scale: reciprocal rank fusion loses what a clear lexical hit says.
 */
export function createFusion(
	found: readonly Matched[],
	identifierShare: number,
	weights: RankWeights = RANK_WEIGHTS,
) {
	let bestLexical = 0;
	let bestCosine = 0;
	let isHybrid = false;
	for (const { lexical, cosine } of found) {
		bestLexical = Math.max(bestLexical, lexical);
		bestCosine = Math.max(bestCosine, cosine ?? 0);
		isHybrid ||= cosine !== undefined;
	}
	const denseWeight = isHybrid ? denseWeightFor(identifierShare, bestCosine, weights) : 0;
	return ({ lexical, cosine }: Matched) => {
		const lexicalShare = shareOf(lexical, bestLexical);
		const denseShare = shareOf(cosine ?? 0, bestCosine);
		const fused = denseWeight * denseShare + (1 - denseWeight) * lexicalShare;
		return { lexicalShare, denseShare, denseWeight, fused };
	};
}

function shareOf(score: number, best: number): number {
	return best > 0 ? Math.min(1, Math.max(0, score / best)) : 0;
}

/** What the parts of a row's score weigh. */
export interface RankWeights {
	/** The dense side's share of a fused score where its closest passage is at cosine 0, and what each unit of cosine adds. */
	readonly denseAtZero: number;
	readonly densePerCosine: number;
	/** How much of that share goes to the lexical side when a query consists of identifiers. */
	readonly identifierShift: number;
	/** What is most related to the best matches earns this much of what it lacks of a full score. */
	readonly graph: number;
}

/**
 * Close to what `npm run bench:search -- --only learn` finds on one half of the labelled queries (0.45, 0, 0.2, 0.5 and .003 better).
 * An even share without a slope suits titled concepts only: over bare passages close vectors deserve more.
 */
export const RANK_WEIGHTS: RankWeights = {
	denseAtZero: 0.25,
	densePerCosine: 0.6,
	identifierShift: 0.4,
	graph: 0.4,
};
