import { LIMITS } from "../../contract/contract.js";
import { type Clock, memoizeByObject } from "../../kernel/kernel.js";
import { type Evidence, toTrendId } from "../../knowledge/knowledge.js";
import { type ConceptFilter, isPublishedWithin } from "../index/concept-filter.js";
import type { SearchScope } from "../index/index-state.js";
import type { LexicalFindings } from "../lexical/lexical-search.js";
import { coverageOf, type WeighedWord, weighWords } from "../lexical/query-coverage.js";
import { termsOf, tokenize } from "../lexical/tokenizer.js";
import { readSigns } from "./answer-signs.js";
import { type Found, namedFirst } from "./found-concepts.js";
import { decide, statusOf, strengthOf } from "./judge.js";
import { type ComparableRow, saysTheSame, toComparable } from "./near-duplicates.js";
import { type DenseFindings, type RankRequest, rankConcepts, readWords } from "./ranking.js";
import type {
	GraphPromise,
	RankedConcept,
	RouteOutcome,
	RouteRequest,
	ScoreExplanation,
	SearchOutcome,
	SearchRequest,
} from "./search-outcome.js";

interface FindInput extends Omit<RankRequest, "words"> {
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
	const signs = readSigns(weighed, found, scopes, commonWords);
	const decision = decide(signs);
	const rows = decision === "ABSTAIN" ? [] : collectRows(found, request, weighed, lexical);
	return {
		decision,
		dataStatus: statusOf(decision, signs),
		rows,
		missing: weighed.filter(({ isKnown }) => !isKnown).map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
		timings: { search: rankedAt - startedAt, rank: clock.monotonicMs() - rankedAt },
	};
}

/** Rows that are this much weaker than the best one are not worth anybody's money. */
const ROW_FLOOR = 0.2;

const LOOKED_AT = 2;

/** The rows of an answer, best first; what says the same as a better row is only named there. */
function collectRows(
	found: readonly Found[],
	{ limit, filter, explain }: FindInput["request"],
	weighed: readonly WeighedWord[],
	lexical: LexicalFindings,
): readonly RankedConcept[] {
	const floor = (found[0]?.score ?? 0) * ROW_FLOOR;
	const worthy = found.filter(({ score }) => score > 0 && score >= floor);
	const kept = collapse(worthy, limit).map(({ row, duplicates }) => ({
		row,
		named: toNamed(row),
		duplicates: duplicates.map(toNamed),
	}));
	return kept.map(({ row, named, duplicates }) => ({
		concept: named.concept,
		trendId: named.trendId,
		duplicates,
		graph: row.slot.scope.graph,
		score: row.score,
		evidence: orderEvidence(row.concept.evidence, weighed, filter),
		...(explain && { explanation: explainScore(row, weighed, lexical) }),
	}));
}

function collapse(found: readonly Found[], limit: number) {
	const kept: { row: Found; comparable: ComparableRow; duplicates: Found[] }[] = [];
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

function toNamed({ concept, slot }: Found) {
	return { concept, trendId: toTrendId(slot.scope.segment.graphId, concept.id) };
}

/**
 * What a row's score was made of. score = (denseWeight × denseShare + (1 − denseWeight) × lexicalShare) × prior + graph; where a
 * row of the answer is named by the query, named ones have (1 + score) / 2 and the others score / 2.
 */
function explainScore(
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

/**
 * All of a row's sources, the best first: those within the dates asked for, then those whose title holds more of the query's
 * words, then the newest; what is alike stays in the author's order.
 */
function orderEvidence(
	evidence: readonly Evidence[],
	weighed: readonly WeighedWord[],
	filter: ConceptFilter = {},
): readonly Evidence[] {
	if (evidence.length < 2) return evidence;
	const rated = evidence.map((source) => ({
		source,
		isInRange: isPublishedWithin(filter, source),
		overlap: overlapOf(titleTermsOf(source), weighed),
	}));
	rated.sort(
		(a, b) =>
			Number(b.isInRange) - Number(a.isInRange) ||
			b.overlap - a.overlap ||
			compareDays(b.source.publishedAt, a.source.publishedAt),
	);
	return rated.map(({ source }) => source);
}

function overlapOf(terms: ReadonlySet<string>, weighed: readonly WeighedWord[]): number {
	let overlap = 0;
	for (const { word, weight } of weighed) {
		if (termsOf(word).some((term) => terms.has(term))) overlap += weight;
	}
	return overlap;
}

const titleTermsOf = memoizeByObject(
	({ title }: Evidence): ReadonlySet<string> => new Set(tokenize(title).flatMap(termsOf)),
);

/** Days as `YYYY-MM-DD`; an undated source is older than all. */
function compareDays(one = "", other = ""): number {
	return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * Ranks and judges each graph by itself, as a search of it would. Of more graphs than may be named, those with the best rows
 * among all are judged. In one go: nothing awaits.
 */
export function routeQuery({
	request,
	commonWords,
	...input
}: Omit<FindInput, "request" | "clock"> & {
	readonly request: Pick<RouteRequest, "query" | "limit">;
}): RouteOutcome {
	const { scopes, dense } = input;
	const words = readWords(request.query, scopes, commonWords);
	const missing = weighWords(words, scopes).filter(({ isKnown }) => !isKnown);
	const promises = likelyGraphs({ ...input, words }).flatMap((own) => {
		const ownDense = dense && withinScopes(dense, own);
		const promise = promiseOf({ ...input, words, scopes: own, dense: ownDense }, commonWords);
		return promise && promise.decision !== "ABSTAIN" ? [promise] : [];
	});
	return {
		graphs: promises.sort(byStrength).slice(0, request.limit),
		missing: missing.map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
	};
}

/** Parts of one graph. */
type GraphScopes = readonly SearchScope[];

function likelyGraphs({ links, ...request }: RankRequest): readonly GraphScopes[] {
	const graphs = groupByGraph(request.scopes);
	if (graphs.size <= LIMITS.routedGraphsMax) return [...graphs.values()];
	const { ranked } = rankConcepts(request);
	const ids = new Set(ranked.map(({ scope }) => scope.segment.graphId));
	return [...ids].slice(0, LIMITS.routedGraphsMax).flatMap((id) => {
		const scopes = graphs.get(id);
		return scopes ? [scopes] : [];
	});
}

function promiseOf(
	request: RankRequest,
	commonWords: ReadonlySet<string> | undefined,
): GraphPromise | undefined {
	const { words, scopes } = request;
	const { ranked } = rankConcepts(request);
	const weighed = weighWords(words, scopes);
	const rows = namedFirst(ranked, weighed);
	const [best] = rows;
	if (!best) return undefined;
	const signs = readSigns(weighed, rows, scopes, commonWords);
	const surfaces = (isKnown: boolean) =>
		weighed.filter((known) => known.isKnown === isKnown).map(({ word }) => word.surface);
	const worthy = rows.filter(({ score }) => score > 0 && score >= best.score * ROW_FLOOR);
	return {
		graph: best.slot.scope.graph,
		decision: decide(signs),
		strength: strengthOf(signs),
		covered: surfaces(true),
		missing: surfaces(false),
		rows: Math.min(LIMITS.rowsMax, worthy.length),
	};
}

/** What the dense side found in these scopes, among the best of all. */
function withinScopes({ hits, cosineOf }: DenseFindings, scopes: GraphScopes): DenseFindings {
	const places = [...hits.slots.keys()].filter((place) => {
		const slot = hits.slots[place] ?? -1;
		return scopes.some(({ base, concepts }) => slot >= base && slot < base + concepts.length);
	});
	const slots = places.map((place) => hits.slots[place] ?? 0);
	const cosines = Float32Array.from(places, (place) => hits.cosines[place] ?? 0);
	return { hits: { ...hits, slots, cosines }, cosineOf };
}

function groupByGraph(scopes: readonly SearchScope[]): ReadonlyMap<string, GraphScopes> {
	const groups = new Map<string, SearchScope[]>();
	for (const scope of scopes) {
		const { graphId } = scope.segment;
		const group = groups.get(graphId);
		if (group) group.push(scope);
		else groups.set(graphId, [scope]);
	}
	return groups;
}

function byStrength(one: GraphPromise, other: GraphPromise): number {
	const byId = one.graph.record.id < other.graph.record.id ? -1 : 1;
	return other.strength - one.strength || byId;
}
