import fc from "fast-check";
import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import { createQueryBatch } from "../../src/search/dense/query-batch.mjs";
import type { SegmentVectors } from "../../src/search/dense/row-planes.js";
import { createRowPlanes, writeRow } from "../../src/search/dense/row-planes.js";
import { createVectorRegions } from "../../src/search/dense/vector-regions.js";
import {
	createVectorScan,
	type ScanScope,
	type ScanSetup,
} from "../../src/search/dense/vector-scan.mjs";
import { times } from "../support/times.js";
import { randomSegment, randomVector, toUnitLength } from "./random-vectors.js";

const DIMENSIONS = 16;
/** Slot of the first document that is placed. */
const FIRST_SLOT = 3;
/** Enough rows that prefixes are compared first. */
const PREFIX_DIMENSIONS = 256;
const MANY_ROWS = 33_000;

const crowds = fc.record({
	seed: fc.integer(),
	documents: fc.array(fc.nat({ max: 400 }), { minLength: 1, maxLength: 4 }),
	queries: fc.integer({ min: 0, max: 9 }),
	count: fc.integer({ min: 1, max: 20 }),
	/** Share of each region's documents that take part. */
	left: fc.constantFrom(1, 0.8, 0.1),
	hasSimd: fc.boolean(),
});

t.test("queries that share a pass find what each finds alone, to the last bit", async (t) => {
	fc.assert(
		fc.property(crowds, ({ seed, documents, queries, count, left, hasSimd }) => {
			const next = createSeededNumbers(seed);
			const segments = documents.map((size) =>
				randomSegment(next, { documents: size, dimensions: DIMENSIONS }),
			);
			const { setup, scopes } = place(segments, () => next() < left);
			const scan = createVectorScan(hasSimd ? setup : { ...setup, kernel: undefined });
			const vectors = Array.from({ length: queries }, () => randomVector(next, DIMENSIONS));
			// Rows that score alike are ordered alike, and two askers may ask the same.
			if (vectors[0]) vectors.push(vectors[0]);
			const together = scan.searchAll(vectors, scopes, count);
			t.strictSame(
				together,
				vectors.map((vector) => scan.search(vector, scopes, count)),
			);
		}),
		{ numRuns: 60 },
	);
});

t.test("so they do where prefixes are compared first", async (t) => {
	const next = createSeededNumbers(4);
	const { setup, scopes } = place(
		[manyRows(next, MANY_ROWS - 501), manyRows(next, 501)],
		() => next() < 0.9,
	);
	t.ok(setup.prefix > 0);
	const scan = createVectorScan(setup);
	const vectors = Array.from({ length: 7 }, () => randomVector(next, PREFIX_DIMENSIONS));
	const together = scan.searchAll(vectors, scopes, 10);
	t.ok(together.every(({ slots }) => slots.length === 10));
	t.strictSame(
		together,
		vectors.map((vector) => scan.search(vector, scopes, 10)),
	);
});

t.test("a batch hands each caller what it asked for, no matter who shared a pass", async (t) => {
	const next = createSeededNumbers(9);
	const segments = [300, 200].map((documents) =>
		randomSegment(next, { documents, dimensions: DIMENSIONS }),
	);
	const { setup, scopes } = place(segments, () => true);
	const lists = [scopes, scopes.slice(0, 1)] as const;
	const vectors = Array.from({ length: 12 }, () => randomVector(next, DIMENSIONS));
	const queries = vectors.map((vector, index) => ({
		text: JSON.stringify([...vector]),
		vector: index % 3 === 0 ? vector : undefined,
		list: index % 2,
		count: index < 10 ? 5 : 3,
	}));
	const embed = async (texts: readonly string[]) =>
		Float32Array.from(texts.flatMap((text) => JSON.parse(text) as number[]));
	const batch = createQueryBatch({ setup, embed });
	const reply = await batch({ queries, lists: [...lists.entries()], forgotten: [] });
	const scan = createVectorScan(setup);
	for (const [index, { list, count }] of queries.entries()) {
		const [from, to] = [reply.ends[index - 1] ?? 0, reply.ends[index]];
		const found = {
			slots: [...reply.slots.slice(from, to)],
			cosines: reply.cosines.slice(from, to),
		};
		const vector = vectors[index] as Float32Array;
		t.strictSame(found, scan.search(vector, lists[list] as readonly ScanScope[], count));
	}
});

t.test("rows that rounding puts on the other side of zero are found", async (t) => {
	const close = 8;
	for (const seed of times(20, (index) => index)) {
		const next = createSeededNumbers(seed);
		const query = randomVector(next, DIMENSIONS);
		const cosines = times(30, (index) => (index % 4 === 1 && index < 4 * close ? 1e-3 : -0.5));
		const { setup, scopes } = place([rowsBeside(query, { cosines, next })], () => true);
		const expected = [...cosines.keys()].filter((index) => (cosines[index] ?? 0) > 0);
		for (const kernel of [setup.kernel, undefined]) {
			const scan = createVectorScan({ ...setup, kernel });
			const all = scan.searchAll([query, query, query], scopes, close);
			for (const { slots } of [...all, scan.search(query, scopes, close)])
				t.strictSame(
					slots.map((slot) => slot - FIRST_SLOT).sort((a, b) => a - b),
					expected,
				);
		}
	}
});

interface Placed {
	readonly setup: ScanSetup;
	readonly scopes: readonly ScanScope[];
}

/** The segments in one memory, one after the other, with a mask over each where not every document takes part. */
function place(segments: readonly SegmentVectors[], isIn: () => boolean): Placed {
	const dimensions = segments[0]?.embedder.dimensions ?? DIMENSIONS;
	const regions = createVectorRegions({ dimensions, matryoshka: [dimensions / 2] });
	let base = FIRST_SLOT;
	const scopes = segments.map((segment) => {
		const vectors = regions.add(segment);
		const mask = new Uint8Array(vectors.documents).map(() => (isIn() ? 1 : 0));
		const scope = { vectors, base, mask: mask.includes(0) ? mask : undefined };
		base += vectors.documents + 2;
		return scope;
	});
	return { setup: regions.openSetup().setup, scopes: regions.toScanScopes(scopes) };
}

/** A row per document, at the given cosines with the query. */
function rowsBeside(
	query: Float32Array,
	{ cosines, next }: { readonly cosines: readonly number[]; readonly next: () => number },
): SegmentVectors {
	const planes = createRowPlanes(cosines.length, DIMENSIONS);
	for (const [row, cosine] of cosines.entries()) {
		const any = randomVector(next, DIMENSIONS);
		const along = any.reduce((sum, component, index) => sum + component * (query[index] ?? 0), 0);
		const across = toUnitLength(any.map((component, at) => component - along * (query[at] ?? 0)));
		const rest = Math.sqrt(1 - cosine * cosine);
		const vector = across.map((component, at) => rest * component + cosine * (query[at] ?? 0));
		writeRow(planes, row, vector);
	}
	return {
		embedder: { id: "random", sha256: "", dimensions: DIMENSIONS, pooling: "mean" },
		starts: Uint32Array.from({ length: cosines.length + 1 }, (_, row) => row),
		...planes,
	};
}

/** A row per document, of small numbers so that many score alike. */
function manyRows(next: () => number, rows: number): SegmentVectors {
	return {
		embedder: { id: "random", sha256: "", dimensions: PREFIX_DIMENSIONS, pooling: "mean" },
		starts: Uint32Array.from({ length: rows + 1 }, (_, row) => row),
		rows: new Int8Array(rows * PREFIX_DIMENSIONS).map(() => Math.floor(next() * 7) - 3),
		scales: new Float32Array(rows).fill(1 / 32),
	};
}
