import { LIMITS } from "../../contract/contract.js";
import { memoizeByObject } from "../../kernel/kernel.js";
import { type Evidence, toTrendId } from "../../knowledge/knowledge.js";
import { type ConceptFilter, isPublishedWithin } from "../index/concept-filter.js";
import type { SearchScope } from "../index/index-state.js";
import type { LexicalFindings } from "../lexical/lexical-search.js";
import { coverageOf, type WeighedWord, weighWords } from "../lexical/query-coverage.js";
import { termsOf, tokenize } from "../lexical/tokenizer.js";
import { readSigns } from "./answer-signs.js";
import { decide, statusOf, strengthOf } from "./decision.js";
import { type Found, namedFirst } from "./found-concepts.js";
import { type ComparableRow, saysTheSame, toComparable } from "./near-duplicates.js";
import type { QuestionBackground } from "./question-background.js";
import { type DenseFindings, type RankRequest, rankConcepts, readWords } from "./ranking.js";
import type {
	GraphPromise,
	RankedConcept,
	RouteOutcome,
	ScoreExplanation,
	SearchOutcome,
	SearchRequest,
} from "./search-outcome.js";

interface FindInput extends Omit<RankRequest, "words"> {
	readonly query: string;
	/** Words of the language, lower case: they are not taken for misspelt. */
	readonly commonWords?: ReadonlySet<string> | undefined;
}

/** The rows of one query, best first, before anything is decided. */
export interface RankedQuery extends Pick<FindInput, "scopes" | "dense" | "commonWords"> {
	readonly weighed: readonly WeighedWord[];
	readonly found: readonly Found[];
	readonly lexical: LexicalFindings;
}

/** In one go: nothing awaits. */
export function rankQuery({ query, commonWords, ...input }: FindInput): RankedQuery {
	const { scopes, dense } = input;
	const words = readWords(query, scopes, commonWords);
	const { ranked, lexical } = rankConcepts({ ...input, words });
	const weighed = weighWords(words, scopes);
	return { scopes, dense, commonWords, weighed, lexical, found: namedFirst(ranked, weighed) };
}

/** How likely each of the first rows answers the query, 0..1, best row first. */
export type RowReadings = readonly number[];

/** How much what the judge says of a row counts against its score: the best of .1 to .6 on the development set (models/training/ATTEMPTS.md). */
const READING_WEIGHT = 0.2;

/** Rows in the order that the judge gives them; those that it has not read keep their order among themselves. */
export function orderByReadings(ranked: RankedQuery, readings: RowReadings): RankedQuery {
	const found = ranked.found.map((row, at): Found => {
		const answers = readings[at];
		const score = (1 - READING_WEIGHT) * row.score + READING_WEIGHT * (answers ?? 0);
		return { ...row, score, answers };
	});
	found.sort(
		(one, other) => Number(other.isNamed) - Number(one.isNamed) || other.score - one.score,
	);
	return { ...ranked, found };
}

/** What is decided about ranked rows, and those that are answered with. `background` is that of the best row's graph. */
export function concludeQuery(
	ranked: RankedQuery,
	request: Pick<SearchRequest, "limit" | "explain" | "filter">,
	background: QuestionBackground | undefined,
): Omit<SearchOutcome, "timings"> {
	const { weighed, found, lexical, dense } = ranked;
	const signs = readSigns(weighed, found, { ...ranked, background });
	const decision = decide(signs);
	return {
		effort: found.some(({ answers }) => answers !== undefined) ? "best" : "fast",
		decision,
		dataStatus: statusOf(decision, signs),
		rows: decision === "ABSTAIN" ? [] : collectRows(found, request, weighed, lexical),
		missing: weighed.filter(({ isKnown }) => !isKnown).map(({ word }) => word.surface),
		mode: dense ? "hybrid" : "keyword",
	};
}

/** Rows that are this much weaker than the best one are not worth anybody's money. */
const ROW_FLOOR = 0.2;

const LOOKED_AT = 2;

/** The rows of an answer, best first; what says the same as a better row is only named there. */
function collectRows(
	found: readonly Found[],
	{ limit, filter, explain }: Pick<SearchRequest, "limit" | "explain" | "filter">,
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
	{ slot, isNamed, answers }: Found,
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
		answers,
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

/** A query ranked by itself in each graph that may answer it, as a search of the graph would. */
export interface RoutedQuery {
	readonly mode: RouteOutcome["mode"];
	readonly missing: readonly string[];
	readonly graphs: readonly RankedQuery[];
}

/** Of more graphs than may be named, those with the best rows among all are ranked. In one go: nothing awaits. */
export function rankByGraph({ query, commonWords, ...input }: FindInput): RoutedQuery {
	const { scopes, dense } = input;
	const words = readWords(query, scopes, commonWords);
	const missing = weighWords(words, scopes).filter(({ isKnown }) => !isKnown);
	const graphs = likelyGraphs({ ...input, words }).map((own): RankedQuery => {
		const ownDense = dense && withinScopes(dense, own);
		const { ranked, lexical } = rankConcepts({ ...input, words, scopes: own, dense: ownDense });
		const weighed = weighWords(words, own);
		const found = namedFirst(ranked, weighed);
		return { scopes: own, dense: ownDense, commonWords, weighed, lexical, found };
	});
	const mode = dense ? "hybrid" : "keyword";
	return { mode, missing: missing.map(({ word }) => word.surface), graphs };
}

/** Which of the graphs would answer, the strongest first. `backgrounds` are those of the graphs, in their order. */
export function concludeRoute(
	{ mode, missing, graphs }: RoutedQuery,
	backgrounds: readonly (QuestionBackground | undefined)[],
	limit: number,
): RouteOutcome {
	const promises = graphs.flatMap((ranked, at) => {
		const promise = promiseOf(ranked, backgrounds[at]);
		return promise && promise.decision !== "ABSTAIN" ? [promise] : [];
	});
	return { graphs: promises.sort(byStrength).slice(0, limit), missing, mode };
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
	ranked: RankedQuery,
	background: QuestionBackground | undefined,
): GraphPromise | undefined {
	const { weighed, found: rows } = ranked;
	const [best] = rows;
	if (!best) return undefined;
	const signs = readSigns(weighed, rows, { ...ranked, background });
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
