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

/** As much of a transformers.js tensor as pooling reads. */
export interface TokenTensor {
	readonly data: ArrayLike<number>;
	/** Texts, tokens of each with the padding, components. */
	readonly dims: readonly number[];
}

/**
 * One vector of unit length per text, end to end: the mean of the tokens that the mask holds, or the first one. What sums up
 * to nothing stays zero. The library's own pooling goes over the tokens once per component and costs a short query more
 * than the model does.
 */
export function poolTokens(
	tokens: TokenTensor,
	mask: ArrayLike<bigint | number>,
	pooling: "mean" | "cls",
): Float32Array;
