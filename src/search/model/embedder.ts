/** What an index must know of the model its vectors came from: any difference makes them worthless. */
export interface EmbedderIdentity {
	readonly id: string;
	/** sha256 (hex) over all that decides a vector: weights, tokenizer, prefixes, pooling. */
	readonly sha256: string;
	readonly dimensions: number;
	readonly pooling: "mean" | "cls";
	/** Widths to which vectors may be cut and still order texts much alike; absent when the model was not trained for it. */
	readonly matryoshka?: readonly number[] | undefined;
}

/** Queries go before passages: a caller waits for them. */
export type TextKind = "query" | "passage";

/** Turns text into vectors. The adapter is `createTransformersEmbedder`: a model in a worker thread. */
export interface Embedder {
	readonly identity: EmbedderIdentity;
	/**
	 * One vector of unit length per text, in order; texts beyond the model's context are cut.
	 * Rejects with ServiceError UNAVAILABLE when the model cannot be loaded, has just crashed or is overrun; a later call may succeed.
	 */
	embed(texts: readonly string[], kind: TextKind): Promise<readonly Float32Array[]>;
	/** Starts loading the model, so that the first query need not wait for it. */
	warm(): void;
	close(): Promise<void>;
}
