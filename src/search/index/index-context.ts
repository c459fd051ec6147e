import type { INDEX_LIMITS } from "../../contract/contract.js";
import type { Clock } from "../../kernel/kernel.js";
import type { Graph } from "../../knowledge/knowledge.js";
import type { Embedder } from "../model/embedder.js";
import type { IndexFolder } from "./index-folder.js";
import type { SegmentSet } from "./segment-set.js";

/** What the parts of the index work with. */
export interface IndexContext {
	readonly clock: Clock;
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	readonly segments: SegmentSet;
	readonly limits: IndexLimits;
}

/** One call of sync. */
export interface SyncRun {
	readonly graphs: readonly Graph[];
	readonly options: SyncOptions;
	/** False once a newer sync has begun or the engine closes. */
	readonly goesOn: () => boolean;
	/** Aborted when the engine closes; a newer sync needs what an older one derives, and lets it finish. */
	readonly closing: AbortSignal;
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

/** Concepts done by one stage; the vectors are made after the keyword side of all graphs. */
export interface ReindexProgress {
	readonly stage: "keywords" | "vectors";
	readonly done: number;
	readonly total: number;
}

export type IndexLimits =
	| typeof INDEX_LIMITS
	| { readonly [name in keyof typeof INDEX_LIMITS]: number };
