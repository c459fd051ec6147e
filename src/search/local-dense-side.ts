import { createDenseIndex, type DenseIndex } from "./dense-index.js";
import type { DenseHits, DenseScope, DenseSide, VectorRegion } from "./dense-side.js";
import { floatDot } from "./quantise.js";
import type { QueryVectors } from "./query-vectors.js";
import type { SegmentVectors } from "./segment.js";
import { selectTop } from "./select-top.js";

interface LocalRegion extends VectorRegion {
	readonly segment: SegmentVectors;
	readonly index: DenseIndex;
}

/** The dense side in the thread that asks: for embedders that have no thread of their own. */
export function createLocalDenseSide(queryVectors: QueryVectors): DenseSide {
	return {
		add(segment): LocalRegion {
			const index = createDenseIndex([segment], segment.embedder.dimensions);
			return { documents: segment.starts.length - 1, segment, index };
		},
		release: () => undefined,
		async search({ query, scopes, count }) {
			const vector = await queryVectors.find(query);
			return vector && scan(vector, scopes, count);
		},
		cosineOf: (vector, region, document) => bestCosine(vector, region as LocalRegion, document),
	};
}

function scan(vector: Float32Array, scopes: readonly DenseScope[], count: number): DenseHits {
	const end = Math.max(0, ...scopes.map(({ base, vectors }) => base + vectors.documents));
	const scores = new Float32Array(end);
	let slots: number[] = [];
	for (const { vectors, base, mask } of scopes) {
		(vectors as LocalRegion).index.scan(vector, 0, scores, base);
		mask?.forEach((isIn, document) => {
			if (isIn === 0) scores[base + document] = 0;
		});
		slots = selectTop(scores, { from: base, to: base + vectors.documents }, count, slots);
	}
	const cosines = Float32Array.from(slots, (slot) => {
		const scope = scopes.findLast(({ base }) => base <= slot);
		return scope ? bestCosine(vector, scope.vectors as LocalRegion, slot - scope.base) : 0;
	});
	return { vector, slots, cosines };
}

function bestCosine(vector: Float32Array, { segment }: LocalRegion, document: number): number {
	const { starts, rows, scales, embedder } = segment;
	const from = starts[document] ?? 0;
	const to = starts[document + 1] ?? from;
	let best = from === to ? 0 : Number.NEGATIVE_INFINITY;
	for (let row = from; row < to; row++) {
		best = Math.max(best, floatDot(vector, rows, row * embedder.dimensions, scales[row] ?? 0));
	}
	return best;
}
