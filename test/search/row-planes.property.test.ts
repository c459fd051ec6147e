import fc from "fast-check";
import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import {
	copyRows,
	createRowPlanes,
	type RowPlanes,
	writeRow,
} from "../../src/search/dense/row-planes.js";
import { randomVector, vectorOf } from "./random-vectors.js";

const DIMENSIONS = 32;
/** Sums of squares: a fine is a fourteenth of an integer, but clipped where the scale has moved a component far. */
const BETTER_BY = 25;
/** Of float32. */
const ROUNDING = 1e-7;

const vectors = fc
	.record({ seed: fc.integer(), count: fc.integer({ min: 1, max: 6 }) })
	.map(({ seed, count }) => {
		const next = createSeededNumbers(seed);
		return Array.from({ length: count }, () => randomVector(next, DIMENSIONS));
	});

function roundAll(rows: readonly Float32Array[]): RowPlanes {
	const planes = createRowPlanes(rows.length, DIMENSIONS);
	rows.forEach((vector, row) => void writeRow(planes, row, vector));
	return planes;
}

const inSegment = (planes: RowPlanes) => ({
	embedder: { id: "random", sha256: "", dimensions: DIMENSIONS, pooling: "mean" as const },
	starts: Uint32Array.from({ length: planes.scales.length + 1 }, (_, document) => document),
	...planes,
});

t.test("with its fines each component is closer to what it was, all of them much", async () => {
	fc.assert(
		fc.property(vectors, (rows) => {
			const planes = roundAll(rows);
			const { fines, ...coarse } = planes;
			return rows.every((vector, row) => {
				const offs = [planes, coarse].map((some) => {
					const found = vectorOf(inSegment(some), row);
					return vector.map((value, at) => Math.abs(value - (found[at] ?? 0)));
				});
				const [fine, whole] = offs as [Float32Array, Float32Array];
				const isCloser = fine.every((off, at) => off <= (whole[at] ?? 0) + ROUNDING);
				return isCloser && squares(fine) * BETTER_BY < squares(whole);
			});
		}),
	);
});

function squares(values: Float32Array): number {
	return values.reduce((sum, value) => sum + value * value, 0);
}

t.test("copied rows are what they were; what had no fines has zeros", async (t) => {
	fc.assert(
		fc.property(vectors, vectors, (one, other) => {
			const [first, second] = [roundAll(one), roundAll(other)];
			const joined = createRowPlanes(one.length + other.length, DIMENSIONS);
			copyRows(joined, copyRows(joined, 0, first), second);
			t.strictSame(joined, roundAll([...one, ...other]));
			const { fines, ...coarse } = second;
			const mixed = createRowPlanes(one.length + 1, DIMENSIONS);
			copyRows(mixed, copyRows(mixed, 0, first), coarse, [0, 1]);
			t.strictSame(vectorOf(inSegment(mixed), one.length), vectorOf(inSegment(coarse), 0));
		}),
		{ numRuns: 30 },
	);
});

t.test("a width that is not made of whole blocks has no fines", async (t) => {
	const planes = createRowPlanes(1, 24);
	t.equal(planes.fines, undefined);
	writeRow(planes, 0, new Float32Array(24).fill(0.5));
	t.same(planes.rows, new Int8Array(24).fill(127));
});
