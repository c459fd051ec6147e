import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import type { SegmentVectors } from "../../src/search/dense/row-planes.js";
import { backgroundOf } from "../../src/search/dense/vector-background.js";

function randomVectors(documents: number, shared: number): SegmentVectors {
	const next = createSeededNumbers(7);
	const dimensions = 64;
	const scale = 1 / 127;
	const rows = new Int8Array(documents * dimensions);
	const scales = new Float32Array(documents);
	for (let document = 0; document < documents; document++) {
		let squares = 0;
		for (let at = 0; at < dimensions; at++) {
			const value = Math.round((next() - 0.5) * 60 + shared);
			rows[document * dimensions + at] = value;
			squares += (value * scale) ** 2;
		}
		scales[document] = scale / Math.sqrt(squares);
	}
	const starts = Uint32Array.from({ length: documents + 1 }, (_, document) => document);
	const embedder = { id: "random", sha256: "", dimensions } as SegmentVectors["embedder"];
	return { embedder, starts, rows, scales };
}

t.test("texts of one subject are closer to each other, and the background says so", async (t) => {
	const mixed = backgroundOf([randomVectors(100, 0)]);
	const narrow = backgroundOf([randomVectors(100, 20)]);
	t.ok(mixed && Math.abs(mixed.mean) < 0.1);
	t.ok(mixed && Math.abs(mixed.spread - 1 / Math.sqrt(64)) < 0.05);
	t.ok(narrow && narrow.mean > 0.4);
});

t.test("a few texts have no background", async (t) => {
	t.equal(backgroundOf([randomVectors(5, 0)]), undefined);
});

/** The same documents in segments of so many. */
function cut(vectors: SegmentVectors, documents: number): readonly SegmentVectors[] {
	const { embedder, starts, rows, scales } = vectors;
	const { dimensions } = embedder;
	const total = starts.length - 1;
	return Array.from({ length: Math.ceil(total / documents) }, (_, part) => {
		const from = part * documents;
		const to = Math.min(total, from + documents);
		return {
			embedder,
			starts: Uint32Array.from({ length: to - from + 1 }, (_, document) => document),
			rows: rows.slice(from * dimensions, to * dimensions),
			scales: scales.slice(from, to),
		};
	});
}

t.test("a graph has one background however its documents are cut into segments", async (t) => {
	const whole = randomVectors(100, 20);
	const expected = backgroundOf([whole]);
	t.same(backgroundOf(cut(whole, 7)), expected);
	t.same(backgroundOf(cut(whole, 1)), expected);
});

t.test("the background follows when a segment is added", async (t) => {
	const first = randomVectors(5, 0);
	t.equal(backgroundOf([first]), undefined);
	t.ok(backgroundOf([first, randomVectors(20, 20)]));
	t.equal(backgroundOf([]), undefined);
});
