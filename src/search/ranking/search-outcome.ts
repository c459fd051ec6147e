import type { DataStatus, Decision } from "../../contract/contract.js";
import type { Concept, Evidence, Graph } from "../../knowledge/knowledge.js";
import type { ConceptFilter } from "../index/concept-filter.js";
import type { RankedSlot } from "./ranking.js";

/** A concept of one of the graphs, by its name on the wire as well: `<graph id>:<concept id>`. */
interface NamedConcept {
	readonly concept: Concept;
	readonly trendId: string;
}

export interface RankedConcept extends NamedConcept {
	readonly graph: Graph;
	/** Fused relevance in 0..1, comparable within one answer only. */
	readonly score: number;
	/** All of the concept's evidence, that which bears on the query first. */
	readonly evidence: readonly Evidence[];
	/** Near-duplicates of this row that were left out for it. */
	readonly duplicates: readonly NamedConcept[];
	/** What the score is made of; present when the request asked for it. */
	readonly explanation?: ScoreExplanation | undefined;
}

/** The parts of one row's score, as they went into it. */
export interface ScoreExplanation
	extends Pick<RankedSlot, "lexicalShare" | "cosine" | "denseWeight" | "graph" | "prior"> {
	readonly bm25: number;
	/** Undefined in keyword mode. */
	readonly denseShare: number | undefined;
	/** How likely the row answers, by the judge, 0..1; undefined where it was not read. */
	readonly answers: number | undefined;
	/** Weighted share of the query's subject words that the concept's text holds, 0..1. */
	readonly coverage: number;
	/** True when the query is a name of the concept: such rows come first. */
	readonly isNamed: boolean;
	/** Query words as written and the index terms that stood for them here, with what each added to BM25. */
	readonly terms: readonly { readonly term: string; readonly score: number }[];
}

/** "fast": by words and vectors; "best": the first rows are read by the judge besides, where there is one. */
export type SearchEffort = "fast" | "best";

export interface SearchOutcome {
	readonly decision: Decision;
	readonly dataStatus: DataStatus;
	/** Best first; empty when the decision is ABSTAIN. */
	readonly rows: readonly RankedConcept[];
	/** Content words of the query that no searched concept covers. */
	readonly missing: readonly string[];
	/** "keyword" while no embedding model is at hand or vectors are still being made. */
	readonly mode: "hybrid" | "keyword";
	/** "best" when the judge has read the first rows. */
	readonly effort: SearchEffort;
	/** ISO 639-1 code of the query's language where it surely is not English: the models read English. */
	readonly language?: string | undefined;
	/** Why only keywords were used, as a sentence a caller may read; undefined in hybrid mode. */
	readonly reason?: string | undefined;
	/** Milliseconds spent, by stage: embed, search, rank. */
	readonly timings: Readonly<Record<string, number>>;
}

export interface SearchRequest {
	/** Graphs to look in; a row's graph is always one of them. */
	readonly graphs: readonly Graph[];
	readonly query: string;
	readonly limit: number;
	readonly signal: AbortSignal;
	/** Only concepts that pass are ranked, judged and returned; exact. */
	readonly filter?: ConceptFilter | undefined;
	/** "best" by default. */
	readonly effort?: SearchEffort | undefined;
	/** Asks for `explanation` on every row. */
	readonly explain?: boolean | undefined;
}

export type RouteRequest = Pick<SearchRequest, "graphs" | "query" | "limit" | "signal">;

/** What one graph would say to a query, without saying it. */
export interface GraphPromise {
	readonly graph: Graph;
	readonly decision: Decision;
	/** How strongly its best row answers, 0..1; comparable between graphs and queries. */
	readonly strength: number;
	/** Query words it covers, as written, and those it does not. */
	readonly covered: readonly string[];
	readonly missing: readonly string[];
	/** Rows found, near-duplicates counted, at most LIMITS.rowsMax; a search may find some more among all that is close in meaning. */
	readonly rows: number;
}

export interface RouteOutcome extends Pick<SearchOutcome, "missing" | "mode" | "reason"> {
	/** Graphs that would not abstain, strongest first; at most `limit`. */
	readonly graphs: readonly GraphPromise[];
}
