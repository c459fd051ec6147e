import type { DenseHits, DenseSide } from "./dense-side.js";
import type { SearchScope } from "./index-state.js";
import { type LexicalFindings, searchLexical } from "./lexical-search.js";
import type { LinkGraph } from "./link-graph.js";
import { expandWords } from "./query-expansion.js";
import { identifierShareOf, readQuery, toQueryTerms } from "./query-words.js";
import { type Candidate, createFusion, type FusedCandidate } from "./rank-fusion.js";
import { RANK_WEIGHTS, type RankWeights } from "./rank-weights.js";
import { relatedSlots } from "./related-slots.js";
import type { Word } from "./tokenizer.js";

/** Candidates each side sends into the fusion; also how many are rescored in float. */
export const POOL = 50;
/** Less related than this is not looked at unless a side found it. */
const LEAST_RELATED = 0.18;
const MAX_BRIDGES = 20;

/** A fused candidate and where its concept is. */
export interface RankedSlot extends FusedCandidate {
	readonly scope: SearchScope;
	/** Position of the concept in its segment. */
	readonly concept: number;
	/** Factor for the concept itself, whatever the query. */
	readonly prior: number;
	/** What links, shared evidence and entities added. */
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

export interface Ranking {
	/** The best concepts of the scopes by both sides and the links together, best first, equal scores by id. */
	readonly ranked: readonly RankedSlot[];
	/** For whoever wants to know how the lexical scores came about. */
	readonly lexical: LexicalFindings;
}

/** The words of a query as the searched graphs know them. */
export function readWords(
	query: string,
	scopes: readonly SearchScope[],
	commonWords: ReadonlySet<string> = new Set(),
): readonly Word[] {
	return expandWords(readQuery(query), { scopes, commonWords });
}

export function rankConcepts(request: RankRequest): Ranking {
	const { scopes, words, dense, links, weights = RANK_WEIGHTS } = request;
	const lexical = searchLexical(toQueryTerms(words), scopes, POOL);
	const cosineOf = dense && cosinesOf(dense, scopes);
	const toCandidate = (slot: number, score: number): Candidate => ({
		slot,
		lexical: score,
		cosine: cosineOf?.(slot),
	});
	const candidates = lexical.slots.map((slot, rank) =>
		toCandidate(slot, lexical.scores[rank] ?? 0),
	);
	const slots = new Set(lexical.slots);
	for (const slot of dense?.hits.slots ?? []) {
		if (slots.has(slot)) continue;
		slots.add(slot);
		candidates.push(toCandidate(slot, lexical.scoreOf(slot)));
	}
	const fuse = createFusion(candidates, identifierShareOf(words), weights);
	const matches = candidates.map((candidate) => locate(fuse(candidate), scopes)).sort(byScore);
	if (!links) return { ranked: matches, lexical };
	const related = relatedSlots(links, scopes, matches);
	const bridged = bridgesAmong(related, slots).map((slot) =>
		locate(fuse(toCandidate(slot, lexical.scoreOf(slot))), scopes),
	);
	const ranked = matches.concat(bridged);
	for (const match of ranked) raise(match, weights.graph * (related.get(match.slot) ?? 0));
	return { ranked: ranked.sort(byScore), lexical };
}

/** What neither side found but the best matches lead to. */
function bridgesAmong(
	related: ReadonlyMap<number, number>,
	found: ReadonlySet<number>,
): readonly number[] {
	const bridges: { readonly slot: number; readonly share: number }[] = [];
	related.forEach((share, slot) => {
		if (share >= LEAST_RELATED && !found.has(slot)) bridges.push({ slot, share });
	});
	return bridges
		.sort((one, other) => other.share - one.share || one.slot - other.slot)
		.slice(0, MAX_BRIDGES)
		.map(({ slot }) => slot);
}

/** A row that the best ones lead to rises towards a full score, the more the less it matched itself. */
function raise(match: Located, share: number): void {
	match.graph = share * (1 - match.score);
	match.score += match.graph;
}

function cosinesOf(
	{ hits, cosineOf }: DenseFindings,
	scopes: readonly SearchScope[],
): (slot: number) => number {
	const known = new Map(hits.slots.map((slot, rank) => [slot, hits.cosines[rank] ?? 0]));
	return (slot) => {
		const { vectors, base } = scopeOf(slot, scopes);
		return known.get(slot) ?? (vectors ? cosineOf(hits.vector, vectors, slot - base) : 0);
	};
}

/** A slot that links may still raise. */
type Located = { -readonly [Key in keyof RankedSlot]: RankedSlot[Key] };

/** Field by field: copying objects whole is what a search would spend most of its time on. */
function locate(
	{ slot, lexical, cosine, lexicalShare, denseShare, denseWeight, fused }: FusedCandidate,
	scopes: readonly SearchScope[],
): Located {
	const scope = scopeOf(slot, scopes);
	const concept = slot - scope.base;
	const prior = scope.priors[concept] ?? 1;
	return {
		slot,
		lexical,
		cosine,
		lexicalShare,
		denseShare,
		denseWeight,
		fused,
		scope,
		concept,
		prior,
		graph: 0,
		score: fused * prior,
	};
}

function byScore(one: RankedSlot, other: RankedSlot): number {
	if (one.score !== other.score) return other.score - one.score;
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
