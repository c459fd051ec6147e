import type { DenseHits, DenseSide } from "./dense-side.js";
import type { SearchScope } from "./index-state.js";
import type { LexicalScope } from "./lexical-index.js";
import { type LexicalFindings, searchLexical } from "./lexical-search.js";
import type { LinkGraph } from "./link-graph.js";
import { expandWords } from "./query-expansion.js";
import { identifierShareOf, readQuery, toQueryTerms } from "./query-words.js";
import { type Candidate, createFusion, type FusedCandidate } from "./rank-fusion.js";
import { relatedSlots } from "./related-slots.js";
import type { Word } from "./tokenizer.js";

/** Candidates each side sends into the fusion; also how many are rescored in float. */
export const POOL = 50;
/** What is most related to the best matches earns this much of what it lacks of a full score. */
const GRAPH_WEIGHT = 0.4;
/** Less related than this is not looked at unless a side found it. */
const LEAST_RELATED = 0.1;

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
	return expandWords(readQuery(query), { scopes: scopes.map(toLexicalScope), commonWords });
}

export function rankConcepts({ scopes, words, dense, links }: RankRequest): Ranking {
	const lexical = searchLexical(toQueryTerms(words), scopes.map(toLexicalScope), POOL);
	const cosineOf = dense && cosinesOf(dense, scopes);
	const toCandidate = (slot: number): Candidate => ({
		slot,
		lexical: lexical.scoreOf(slot),
		cosine: cosineOf?.(slot),
	});
	const slots = new Set([...lexical.slots, ...(dense?.hits.slots ?? [])]);
	const candidates = [...slots].map(toCandidate);
	const fuse = createFusion(candidates, identifierShareOf(words));
	const matches = candidates.map((candidate) => locate(fuse(candidate), scopes)).sort(byScore);
	const ranked = links
		? addRelated(matches, relatedSlots(links, scopes, matches), (slot) =>
				locate(fuse(toCandidate(slot)), scopes),
			)
		: matches;
	return { ranked, lexical };
}

/** Rows that one of the best leads to rise towards a full score, those that matched nowhere near as well included. */
function addRelated(
	matches: readonly RankedSlot[],
	related: ReadonlyMap<number, number>,
	toMatch: (slot: number) => RankedSlot,
): readonly RankedSlot[] {
	const found = new Set(matches.map(({ slot }) => slot));
	const bridged = [...related]
		.filter(([slot, share]) => share >= LEAST_RELATED && !found.has(slot))
		.map(([slot]) => toMatch(slot));
	return [...matches, ...bridged]
		.map((match) => {
			const graph = GRAPH_WEIGHT * (related.get(match.slot) ?? 0) * (1 - match.score);
			return { ...match, graph, score: match.score + graph };
		})
		.sort(byScore);
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

function toLexicalScope({ segment, base, mask }: SearchScope): LexicalScope {
	return { index: segment.lexical, base, mask };
}

function locate(candidate: FusedCandidate, scopes: readonly SearchScope[]): RankedSlot {
	const scope = scopeOf(candidate.slot, scopes);
	const concept = candidate.slot - scope.base;
	const prior = scope.priors[concept] ?? 1;
	return { ...candidate, scope, concept, prior, graph: 0, score: candidate.fused * prior };
}

function byScore(one: RankedSlot, other: RankedSlot): number {
	return other.score - one.score || (idOf(one) < idOf(other) ? -1 : 1);
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
