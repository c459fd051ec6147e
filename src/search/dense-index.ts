import { floatDot, quantiseInto } from "./quantise.js";
import type { SegmentVectors } from "./segment.js";
import { createVectorKernel, createVectorMemory } from "./vector-kernel.js";

/** Dense side: an exact scan over the int8 passages of many graphs, which lie end to end in one memory. */
export interface DenseIndex {
	readonly isSimd: boolean;
	/**
	 * Writes each concept's cosine with the query (its best passage, at the precision of int8 rows) to `scores[from + c]`.
	 * `query` has unit length and the index's dimensions; `graph` is a position in the list the index was made from.
	 */
	scan(query: Float32Array, graph: number, scores: Float32Array, from: number): void;
	/** One concept's cosine with the query of the last scan, kept in float: its best passage by that scan, computed again. */
	rescore(query: Float32Array, graph: number, concept: number): number;
}

const ALIGNMENT = 64;

export function createDenseIndex(
	graphs: readonly SegmentVectors[],
	dimensions: number,
): DenseIndex {
	const firstRows = new Array<number>(graphs.length).fill(0);
	let count = 0;
	graphs.forEach((graph, position) => {
		firstRows[position] = count;
		count += graph.scales.length;
	});
	const scalesAt = align(dimensions * Int16Array.BYTES_PER_ELEMENT);
	const outAt = align(scalesAt + count * 4);
	const rowsAt = align(outAt + count * 4);
	const memory = createVectorMemory(rowsAt + count * dimensions);
	const kernel = createVectorKernel(dimensions, memory);
	const rows = new Int8Array(memory.buffer, rowsAt, count * dimensions);
	const scales = new Float32Array(memory.buffer, scalesAt, count);
	const out = new Float32Array(memory.buffer, outAt, count);
	const queryRow = new Int16Array(memory.buffer, 0, dimensions);
	graphs.forEach((graph, position) => {
		const first = firstRows[position] ?? 0;
		rows.set(graph.rows, first * dimensions);
		scales.set(graph.scales, first);
	});

	const startsOf = (graph: number) => graphs[graph]?.starts ?? new Uint32Array(1);
	return {
		isSimd: kernel.isSimd,
		scan(query, graph, scores, from) {
			const queryScale = quantiseInto(query, queryRow, 0);
			const starts = startsOf(graph);
			const first = firstRows[graph] ?? 0;
			const rowCount = starts.at(-1) ?? 0;
			kernel.scan(
				0,
				rowsAt + first * dimensions,
				scalesAt + first * 4,
				outAt + first * 4,
				rowCount,
			);
			const rowScores = out.subarray(first, first + rowCount);
			writeBestRows({ rowScores, starts, queryScale }, scores, from);
		},
		rescore(query, graph, concept) {
			const starts = startsOf(graph);
			const first = firstRows[graph] ?? 0;
			const from = first + (starts[concept] ?? 0);
			const to = first + (starts[concept + 1] ?? 0);
			if (from === to) return 0;
			let best = from;
			for (let row = from + 1; row < to; row++) {
				if ((out[row] as number) > (out[best] as number)) best = row;
			}
			return floatDot(query, rows, best * dimensions, scales[best] ?? 0);
		},
	};
}

interface RowScores {
	/** Dot products of one graph's rows, still to be multiplied by the query's scale. */
	readonly rowScores: Float32Array;
	readonly starts: Uint32Array;
	readonly queryScale: number;
}

/** A concept is as close as its closest passage; one without passages scores zero. */
function writeBestRows(
	{ rowScores, starts, queryScale }: RowScores,
	scores: Float32Array,
	from: number,
): void {
	let row = 0;
	for (let concept = 0; concept + 1 < starts.length; concept++) {
		const end = starts[concept + 1] as number;
		let best = row < end ? Number.NEGATIVE_INFINITY : 0;
		for (; row < end; row++) {
			const score = rowScores[row] as number;
			if (score > best) best = score;
		}
		scores[from + concept] = best * queryScale;
	}
}

function align(offset: number): number {
	return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
