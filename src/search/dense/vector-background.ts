import { isSameList } from "../same-list.js";
import type { SegmentVectors } from "./row-planes.js";

/** How close texts of one graph are to each other that have nothing to do with each other. */
export interface VectorBackground {
	readonly mean: number;
	/** Standard deviation, above zero. */
	readonly spread: number;
}

const SAMPLED_DOCUMENTS = 32;
const MIN_DOCUMENTS = 8;
const MIN_SPREAD = 0.01;

/** By a graph's first segment, which changes least often. */
const measuredByFirst = new WeakMap<
	SegmentVectors,
	{
		readonly segments: readonly SegmentVectors[];
		readonly background: VectorBackground | undefined;
	}
>();

/**
 * Cosines between documents spread evenly over all segments of a graph: what a cosine means differs from model to model and from
 * subject to subject, not from segment to segment. Undefined for too few documents. About a millisecond on first use.
 */
export function backgroundOf(segments: readonly SegmentVectors[]): VectorBackground | undefined {
	const [first] = segments;
	if (!first) return undefined;
	const known = measuredByFirst.get(first);
	if (known && isSameList(known.segments, segments)) return known.background;
	const documents = sampleOf(segments);
	const background = documents.length < MIN_DOCUMENTS ? undefined : measure(documents);
	measuredByFirst.set(first, { segments, background });
	return background;
}

/** One document and the segment that it is in. */
interface Sampled {
	readonly vectors: SegmentVectors;
	readonly document: number;
}

function sampleOf(segments: readonly SegmentVectors[]): readonly Sampled[] {
	const total = segments.reduce((sum, { starts }) => sum + starts.length - 1, 0);
	const step = Math.max(1, total / SAMPLED_DOCUMENTS);
	const sample: Sampled[] = [];
	let base = 0;
	let at = 0;
	for (const vectors of segments) {
		const { starts } = vectors;
		for (; at < base + starts.length - 1; at += step) {
			const document = Math.floor(at) - base;
			if ((starts[document + 1] ?? 0) > (starts[document] ?? 0)) sample.push({ vectors, document });
		}
		base += starts.length - 1;
	}
	return sample;
}

function measure(documents: readonly Sampled[]): VectorBackground {
	let count = 0;
	let sum = 0;
	let squares = 0;
	for (const asked of documents) {
		const vector = firstVectorOf(asked);
		for (const other of documents) {
			if (other === asked) continue;
			const cosine = closest(vector, other);
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

function firstVectorOf({ vectors, document }: Sampled): Float32Array {
	const { starts, rows, scales, embedder } = vectors;
	const row = starts[document] ?? 0;
	const [from, to] = [row * embedder.dimensions, (row + 1) * embedder.dimensions];
	const scale = scales[row] ?? 0;
	return Float32Array.from(rows.subarray(from, to), (value) => value * scale);
}

/** Cosine of the document's closest passage. */
function closest(vector: Float32Array, { vectors, document }: Sampled): number {
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
