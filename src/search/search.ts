import type { DataStatus, Decision } from "../core/wire.js";
import type { Concept, Graph } from "../knowledge/graph.js";

/** Retrieval, local and offline: lexical and dense candidates, fused, judged. This file is what skills see of it. */

export interface RankedConcept {
	readonly graph: Graph;
	readonly concept: Concept;
	/** Fused relevance in 0..1, comparable within one answer only. */
	readonly score: number;
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
	/** Milliseconds spent, by stage: embed, search, rank. */
	readonly timings: Readonly<Record<string, number>>;
}

export interface SearchRequest {
	/** Graphs to look in; a row's graph is always one of them. */
	readonly graphs: readonly Graph[];
	readonly query: string;
	readonly limit: number;
	readonly signal: AbortSignal;
}

export interface HybridSearch {
	find(request: SearchRequest): Promise<SearchOutcome>;
}

export interface IndexStatus {
	/** Model id and sha256 of its ONNX file; undefined without a model. */
	readonly model:
		| { readonly id: string; readonly sha256: string; readonly dimensions: number }
		| undefined;
	readonly concepts: number;
	/** Concepts that wait for their vector. */
	readonly pendingVectors: number;
	/** What queries get right now: "keyword" also while the model is down or does not answer. */
	readonly mode: "hybrid" | "keyword";
	/** Why there is no model or what it failed with last, as a sentence for the operator. */
	readonly reason?: string | undefined;
}

export interface ReindexProgress {
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
export interface SearchEngine extends HybridSearch {
	/** Brings the index in line with these graphs; unchanged ones (same content hash and model) are not touched. */
	sync(graphs: readonly Graph[], options?: SyncOptions): Promise<void>;
	/** Starts loading the model beside whatever else goes on; `sync` does it by itself. */
	warm(): void;
	status(): IndexStatus;
	close(): Promise<void>;
}
