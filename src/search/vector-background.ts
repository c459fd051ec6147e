import type { SegmentVectors } from "./segment.js";

/** How close texts of one index are to each other that have nothing to do with each other. */
export interface VectorBackground {
	readonly mean: number;
	/** Standard deviation, above zero. */
	readonly spread: number;
}

const SAMPLED_DOCUMENTS = 32;
const MIN_DOCUMENTS = 8;
const MIN_SPREAD = 0.01;

const backgrounds = new WeakMap<SegmentVectors, VectorBackground>();

/**
 * Cosines between documents spread evenly over a segment: what a cosine means differs from model to model and from subject to
 * subject. Undefined for too few documents. About a millisecond on first use.
 */
export function backgroundOf(vectors: SegmentVectors): VectorBackground | undefined {
	const known = backgrounds.get(vectors);
	if (known) return known;
	const documents = sampleOf(vectors);
	if (documents.length < MIN_DOCUMENTS) return undefined;
	const made = measure(vectors, documents);
	backgrounds.set(vectors, made);
	return made;
}

function sampleOf({ starts }: SegmentVectors): readonly number[] {
	const count = starts.length - 1;
	const step = Math.max(1, count / SAMPLED_DOCUMENTS);
	const sample: number[] = [];
	for (let at = 0; at < count; at += step) {
		const document = Math.floor(at);
		if ((starts[document + 1] ?? 0) > (starts[document] ?? 0)) sample.push(document);
	}
	return sample;
}

function measure(vectors: SegmentVectors, documents: readonly number[]): VectorBackground {
	let count = 0;
	let sum = 0;
	let squares = 0;
	for (const asked of documents) {
		const vector = firstVectorOf(vectors, asked);
		for (const other of documents) {
			if (other === asked) continue;
			const cosine = closest(vectors, vector, other);
			count++;
			sum += cosine;
			squares += cosine * cosine;
		}
	}
	const mean = sum / count;
	return {
		mean,
		spread: Math.max(MIN_SPREAD, Math.sqrt(Math.max(0, squares / count - mean * mean))),
	};
}

function firstVectorOf({ starts, rows, scales, embedder }: SegmentVectors, document: number) {
	const row = starts[document] ?? 0;
	const from = row * embedder.dimensions;
	const scale = scales[row] ?? 0;
	return Float32Array.from(
		rows.subarray(from, from + embedder.dimensions),
		(value) => value * scale,
	);
}

/** Cosine of the document's closest passage. */
function closest(vectors: SegmentVectors, vector: Float32Array, document: number): number {
	const { starts, rows, scales, embedder } = vectors;
	let best = -1;
	for (let row = starts[document] ?? 0; row < (starts[document + 1] ?? 0); row++) {
		const from = row * embedder.dimensions;
		let sum = 0;
		for (let at = 0; at < vector.length; at++) {
			sum += (vector[at] as number) * (rows[from + at] as number);
		}
		best = Math.max(best, sum * (scales[row] ?? 0));
	}
	return best;
}
