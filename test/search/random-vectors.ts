import {
	createRowPlanes,
	type SegmentVectors,
	writeRow,
} from "../../src/search/dense/row-planes.js";
import { FINE_STEPS, fineAt } from "../../src/search/dense/scalar-kernel.mjs";

/** Scales a vector to length one, in place; a zero vector stays zero. */
export function toUnitLength(vector: Float32Array): Float32Array {
	let sum = 0;
	for (const value of vector) sum += value * value;
	const length = Math.sqrt(sum);
	if (length > 0)
		for (let index = 0; index < vector.length; index++)
			vector[index] = (vector[index] as number) / length;
	return vector;
}

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
	const planes = createRowPlanes(count, dimensions);
	for (let row = 0; row < count; row++) {
		const twin = next() < 0.2 ? Math.floor(next() * count) : row;
		writeRow(planes, row, vectors[twin] as Float32Array);
	}
	const embedder = { id: "random", sha256: "", dimensions, pooling: "mean" as const };
	return { embedder, starts, ...planes };
}

/** A row as it was, but for what rounding took. */
export function vectorOf(vectors: SegmentVectors, row: number): Float32Array {
	const { rows, fines, scales, embedder } = vectors;
	const { dimensions } = embedder;
	const from = row * dimensions;
	return Float32Array.from({ length: dimensions }, (_, index) => {
		const fine = fines ? fineAt(fines, from / 2, index) / FINE_STEPS : 0;
		return ((rows[from + index] ?? 0) + fine) * (scales[row] ?? 0);
	});
}

/** Cosine of each document by plain arithmetic: its best passage, 0 without passages. */
export function cosinesOf(query: Float32Array, vectors: SegmentVectors): readonly number[] {
	const { starts } = vectors;
	const cosineOf = (row: number): number => {
		const vector = vectorOf(vectors, row);
		return query.reduce((sum, component, index) => sum + component * (vector[index] ?? 0), 0);
	};
	return Array.from({ length: starts.length - 1 }, (_, document) => {
		const [from = 0, to = 0] = [starts[document], starts[document + 1]];
		if (from === to) return 0;
		return Math.max(...Array.from({ length: to - from }, (_, index) => cosineOf(from + index)));
	});
}
