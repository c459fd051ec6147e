import type { EmbedderIdentity } from "./embedder.js";
import type { LexicalIndex } from "./lexical-index.js";

/** Quantised vectors of one graph's passages, in concept order. */
export interface SegmentVectors {
	readonly embedder: EmbedderIdentity;
	/** Concept `c` owns the rows from `starts[c]` to `starts[c + 1]`. */
	readonly starts: Uint32Array;
	/** Row after row, `embedder.dimensions` components each. */
	readonly rows: Int8Array;
	/** One factor per row: component = int8 × scale. */
	readonly scales: Float32Array;
}

/** Everything derived from one graph at one version. Immutable; a changed graph gets a new one. */
export interface Segment {
	readonly graphId: string;
	/** The graph's content hash this was derived from. */
	readonly contentHash: string;
	/** Concept ids in the graph's order: the documents of both sides. */
	readonly conceptIds: readonly string[];
	readonly lexical: LexicalIndex;
	/** Undefined until the passages are embedded. */
	readonly vectors: SegmentVectors | undefined;
}

/** True when both describe vectors that may be compared. */
export function isSameEmbedder(
	one: EmbedderIdentity | undefined,
	other: EmbedderIdentity | undefined,
): boolean {
	return (
		one?.id === other?.id &&
		one?.sha256 === other?.sha256 &&
		one?.dimensions === other?.dimensions &&
		one?.pooling === other?.pooling
	);
}
