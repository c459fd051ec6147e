import { quantiseInto, toUnitLength } from "../../src/search/quantise.js";
import type { SegmentVectors } from "../../src/search/segment.js";

/** A vector of unit length. */
export function randomVector(next: () => number, dimensions: number): Float32Array {
	return toUnitLength(Float32Array.from({ length: dimensions }, () => next() - 0.5));
}

/** Documents of nought to three passages each; every few share a vector with another. */
export function randomSegment(
	next: () => number,
	{ documents, dimensions }: { readonly documents: number; readonly dimensions: number },
): SegmentVectors {
	const starts = new Uint32Array(documents + 1);
	for (let document = 0; document < documents; document++) {
		starts[document + 1] = (starts[document] ?? 0) + Math.floor(next() * 4);
	}
	const count = starts.at(-1) ?? 0;
	const vectors = Array.from({ length: count }, () => randomVector(next, dimensions));
	const rows = new Int8Array(count * dimensions);
	const scales = Float32Array.from(vectors, (_, row) => {
		const twin = next() < 0.2 ? Math.floor(next() * count) : row;
		return quantiseInto(vectors[twin] as Float32Array, rows, row * dimensions);
	});
	const embedder = { id: "random", sha256: "", dimensions, pooling: "mean" as const };
	return { embedder, starts, rows, scales };
}

/** Cosine of each document by plain arithmetic: its best passage, 0 without passages. */
export function cosinesOf(query: Float32Array, vectors: SegmentVectors): readonly number[] {
	const { starts, rows, scales, embedder } = vectors;
	const cosineOf = (row: number): number => {
		let sum = 0;
		query.forEach((component, index) => {
			sum += component * (rows[row * embedder.dimensions + index] ?? 0);
		});
		return sum * (scales[row] ?? 0);
	};
	return Array.from({ length: starts.length - 1 }, (_, document) => {
		const [from = 0, to = 0] = [starts[document], starts[document + 1]];
		if (from === to) return 0;
		return Math.max(...Array.from({ length: to - from }, (_, index) => cosineOf(from + index)));
	});
}
