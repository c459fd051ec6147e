import fc from "fast-check";
import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { copyRows, createRowPlanes, type RowPlanes, writeRow } from "../../src/search/quantise.js";
import { FINE_STEPS } from "../../src/search/scalar-kernel.mjs";
import { randomVector, vectorOf } from "./random-vectors.js";

const DIMENSIONS = 32;
/** Rounding to a fine, and what the scale, which makes a row's product with itself exact, adds at its largest component. */
const OFF_MAX = 1.5 / FINE_STEPS;

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

t.test("both planes together are the vector, but for a fraction of an integer", async () => {
	fc.assert(
		fc.property(vectors, (rows) => {
			const planes = roundAll(rows);
			return rows.every((vector, row) => {
				const found = vectorOf(inSegment(planes), row);
				const scale = planes.scales[row] ?? 0;
				return vector.every((value, at) => Math.abs(value - (found[at] ?? 0)) <= OFF_MAX * scale);
			});
		}),
	);
});

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
