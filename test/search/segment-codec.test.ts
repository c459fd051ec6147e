import t from "tap";
import { createSeededNumbers } from "../../bench/generated-graph.js";
import type { SegmentVectors } from "../../src/search/dense/row-planes.js";
import { buildLexicalSegment } from "../../src/search/index/index-builder.js";
import type { Segment } from "../../src/search/index/segment.js";
import {
	contentNameOf,
	decodeSegment,
	encodeSectionFile,
	toSectionFile,
} from "../../src/search/index/segment-codec.js";
import { randomSegment } from "./random-vectors.js";
import { PAYMENTS } from "./sample-graph.js";

async function sampleSegment(): Promise<Segment & { readonly vectors: SegmentVectors }> {
	const segment = await buildLexicalSegment(PAYMENTS);
	const documents = segment.conceptIds.length;
	const vectors = randomSegment(createSeededNumbers(3), { documents, dimensions: 32 });
	return { ...segment, vectors };
}

async function stored(segment: Segment): Promise<Segment> {
	const pieces: Uint8Array[] = [];
	for await (const piece of encodeSectionFile(toSectionFile(segment))) pieces.push(piece);
	return decodeSegment(new Uint8Array(Buffer.concat(pieces)));
}

t.test("vectors are read back with what rounding took from them", async (t) => {
	const segment = await sampleSegment();
	const { vectors } = await stored(segment);
	t.same(vectors, segment.vectors);
	t.ok(vectors?.fines?.some((pair) => pair !== 0));
});

t.test("a file from before that was kept is read as it is, and is another file", async (t) => {
	const segment = await sampleSegment();
	const { fines, ...coarse } = segment.vectors;
	t.ok(fines);
	const older = { ...segment, vectors: coarse };
	const { vectors } = await stored(older);
	t.equal(vectors?.fines, undefined);
	t.same(vectors?.rows, coarse.rows);
	t.not(contentNameOf(older), contentNameOf(segment));
});

t.test("a file whose planes do not fit together is refused", async (t) => {
	const segment = await sampleSegment();
	const { vectors } = segment;
	const cut = { ...vectors, fines: vectors.fines?.subarray(16) };
	await t.rejects(stored({ ...segment, vectors: cut }), { message: /do not fit together/ });
});
