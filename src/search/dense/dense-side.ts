import type { SegmentVectors } from "./row-planes.js";
import type { DenseScope, VectorRegion } from "./vector-regions.js";

/** What the dense side found for one query. */
export interface DenseHits {
	/** The query's vector, of unit length. */
	readonly vector: Float32Array;
	/** Closest documents, best first; equal ones by slot. */
	readonly slots: readonly number[];
	/** Cosine of each with the query, in float: its best passage. */
	readonly cosines: Float32Array;
}

export interface DenseRequest {
	readonly query: string;
	readonly scopes: readonly DenseScope[];
	/** How many documents are wanted at most. */
	readonly count: number;
	/** A query whose asker has left is dropped when its turn comes. */
	readonly signal?: AbortSignal | undefined;
}

/** The dense side: turns queries into vectors and compares them with every passage of the regions asked about. */
export interface DenseSide {
	/** Makes a segment's vectors ready to be compared with. */
	add(vectors: SegmentVectors): VectorRegion;
	/** Gives a region's memory back once the searches that run now are through. */
	release(region: VectorRegion): void;
	/** Undefined when the model gives no vector in time: the search goes on with keywords. Never rejects. */
	search(request: DenseRequest): Promise<DenseHits | undefined>;
	/** Cosine of a query vector and one document of a region, in float: its best passage; 0 without passages. */
	cosineOf(vector: Float32Array, region: VectorRegion, document: number): number;
}
