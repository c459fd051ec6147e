import type { ScanScope, ScanSetup } from "./vector-scan.mjs";

/** What the thread of a model is asked at once. */
export interface BatchTask {
	readonly queries: readonly {
		/** As the model is to read it; left out where there is a vector. */
		readonly text: string;
		readonly vector: Float32Array | undefined;
		/** Number of a list of scopes. */
		readonly list: number;
		readonly count: number;
	}[];
	/** Lists that queries speak of from now on. */
	readonly lists: readonly (readonly [number, readonly ScanScope[]])[];
	/** Lists that no later batch speaks of. */
	readonly forgotten: readonly number[];
}

export interface BatchReply {
	/** Of the queries that came as texts, end to end. */
	readonly vectors: Float32Array;
	/** Hits of all queries, end to end, and where those of each query end. */
	readonly slots: Uint32Array;
	readonly cosines: Float32Array;
	readonly ends: readonly number[];
}

/** Rejects when `embed` does or gives vectors of another size; lists that came with the batch are known all the same. */
export function createQueryBatch(options: {
	readonly setup: ScanSetup;
	/** Vectors of the texts, end to end. */
	readonly embed: (texts: readonly string[]) => Promise<Float32Array>;
}): (task: BatchTask) => Promise<BatchReply>;
