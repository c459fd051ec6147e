import type { DataStatus, Decision } from "../contract/contract.js";
import type { Concept, Evidence, Graph } from "../knowledge/knowledge.js";
import type { ConceptFilter } from "./index/concept-filter.js";

/** Retrieval, local and offline: lexical and dense candidates, fused, judged. This file is what skills see of it. */

export interface RankedConcept {
	readonly graph: Graph;
	readonly concept: Concept;
	/** Fused relevance in 0..1, comparable within one answer only. */
	readonly score: number;
	/** All of the concept's evidence, that which bears on the query first. */
	readonly evidence: readonly Evidence[];
	/** Near-duplicates of this row that were left out for it, as concept ids of the same graph or `<graph id>:<concept id>`. */
	readonly duplicates: readonly string[];
	/** What the score is made of; present when the request asked for it. */
	readonly explanation?: ScoreExplanation | undefined;
}

/** The parts of one row's score, as they went into it. */
export interface ScoreExplanation {
	/** BM25 as computed, and as a share of the best candidate's, 0..1. */
	readonly bm25: number;
	readonly lexicalShare: number;
	/** Undefined in keyword mode. */
	readonly cosine: number | undefined;
	readonly denseShare: number | undefined;
	/** Share of the dense side in the fusion, 0..1. */
	readonly denseWeight: number;
	/** What links, shared evidence and entities added, 0..1. */
	readonly graph: number;
	/** Factor for how much of the graph builds on the concept and for its status, at most 1. */
	readonly prior: number;
	/** Weighted share of the query's subject words that the concept's text holds, 0..1. */
	readonly coverage: number;
	/** True when the query is a name of the concept: such rows come first. */
	readonly isNamed: boolean;
	/** Query words as written and the index terms that stood for them here, with what each added to BM25. */
	readonly terms: readonly { readonly term: string; readonly score: number }[];
}

export interface SearchOutcome {
	readonly decision: Decision;
	readonly dataStatus: DataStatus;
	/** Best first; empty when the decision is ABSTAIN. */
	readonly rows: readonly RankedConcept[];
	/** Content words of the query that no searched concept covers. */
	readonly missing: readonly string[];
	/** "keyword" while no embedding model is at hand or vectors are still being made. */
	readonly mode: "hybrid" | "keyword";
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
	/** Asks for `explanation` on every row. */
	readonly explain?: boolean | undefined;
}

export interface RouteRequest {
	readonly graphs: readonly Graph[];
	readonly query: string;
	readonly limit: number;
	readonly signal: AbortSignal;
}

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

export interface RouteOutcome {
	/** Graphs that would not abstain, strongest first; at most `limit`. */
	readonly graphs: readonly GraphPromise[];
	/** Words no searched graph covers. */
	readonly missing: readonly string[];
	readonly mode: "hybrid" | "keyword";
	/** Why only keywords are used, as a sentence; undefined in hybrid mode. */
	readonly reason?: string | undefined;
}

export interface HybridSearch {
	find(request: SearchRequest): Promise<SearchOutcome>;
}

export interface GraphRouter {
	/** Which graphs would answer. Costs nothing and gives nothing of their content away. */
	route(request: RouteRequest): Promise<RouteOutcome>;
}

export interface IndexStatus {
	/** Model id and sha256 of what its vectors depend on; undefined without a model. */
	readonly model:
		| { readonly id: string; readonly sha256: string; readonly dimensions: number }
		| undefined;
	readonly concepts: number;
	/** Concepts that wait for their vector. */
	readonly pendingVectors: number;
	/** What queries get right now: "keyword" also while the model is down or does not answer. */
	readonly mode: "hybrid" | "keyword";
	/** Why there is no model, what it failed with last, or which files of the index were unusable, for the operator. */
	readonly reason?: string | undefined;
	/** Segments of all graphs, and documents in them that are gone but not yet cleared away. */
	readonly segments?: number | undefined;
	readonly tombstones?: number | undefined;
}

/** Concepts done by one stage; the vectors are made after the keyword side of all graphs. */
export interface ReindexProgress {
	readonly stage: "keywords" | "vectors";
	readonly done: number;
	readonly total: number;
}

export interface SyncOptions {
	readonly onProgress?: (progress: ReindexProgress) => void;
	/** Derives everything again; what has vectors stays in use until its successor has them too. */
	readonly rebuild?: boolean;
	/**
	 * "await" (default) resolves when all vectors are made and stored, or once the model has failed: `status` then says
	 * what is pending and why, and it is made later. "background" resolves as soon as keyword search works.
	 */
	readonly vectors?: "await" | "background";
}

/** The index over all graphs of the catalog: derived, persisted, rebuildable. */
export interface SearchEngine extends HybridSearch, GraphRouter {
	/** Brings the index in line with these graphs; unchanged ones (same content hash and model) are not touched. */
	sync(graphs: readonly Graph[], options?: SyncOptions): Promise<void>;
	/** Starts loading the model beside whatever else goes on; `sync` does it by itself. */
	warm(): void;
	status(): IndexStatus;
	close(): Promise<void>;
}
