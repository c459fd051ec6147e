import type { EmbedderIdentity } from "../model/embedder.js";
import { FINE_LANES, FINE_STEPS } from "./scalar-kernel.mjs";

/** Rows are int8. */
const ROW_LARGEST = 127;
/** A fine has four bits, with its sign. */
const [FINE_LEAST, FINE_LARGEST] = [-8, 7] as const;

/**
 * Vectors as integers, row after row: component = (int8 + fine / FINE_STEPS) × scale. The int8 alone are what all are compared
 * by; the fines, half a byte each, are read for the few that come close. Undefined for widths that are no multiple of
 * FINE_LANES, and for rows of an index from before there were any.
 */
export interface RowPlanes {
	readonly rows: Int8Array;
	readonly fines?: Uint8Array | undefined;
	readonly scales: Float32Array;
}

/** Planes of so many rows, all zero. */
export function createRowPlanes(count: number, dimensions: number) {
	return {
		rows: new Int8Array(count * dimensions),
		fines: hasFines(dimensions) ? new Uint8Array((count * dimensions) / 2) : undefined,
		scales: new Float32Array(count),
	} satisfies RowPlanes;
}

function hasFines(dimensions: number): boolean {
	return dimensions % FINE_LANES === 0;
}

/** Rounds a vector into its row. */
export function writeRow(planes: RowPlanes, row: number, vector: ArrayLike<number>): void {
	const offset = row * vector.length;
	const scale = quantizeInto(vector, planes.rows, offset);
	planes.scales[row] = scale;
	if (planes.fines && scale > 0) refine(vector, planes.rows, planes.fines, { offset, scale });
}

/** Copies rows `from` to `to` of one to row `at` of the other, and returns the row after them. Rows without fines get zeros. */
export function copyRows(
	target: RowPlanes,
	at: number,
	{ rows, fines, scales }: RowPlanes,
	[from, to]: readonly [from: number, to: number] = [0, scales.length],
): number {
	const dimensions = rows.length / (scales.length || 1);
	target.rows.set(rows.subarray(from * dimensions, to * dimensions), at * dimensions);
	target.scales.set(scales.subarray(from, to), at);
	const half = dimensions / 2;
	if (fines) target.fines?.set(fines.subarray(from * half, to * half), at * half);
	return at + to - from;
}

/**
 * Writes a vector as integers into `target` at `offset` and returns the scale: component = integer × scale, and a vector's product
 * with its own integers is exact: what rounding costs in the direction of close queries is evened out.
 */
function quantizeInto(vector: ArrayLike<number>, target: Int8Array, offset: number): number {
	let largest = 0;
	for (let index = 0; index < vector.length; index++) {
		largest = Math.max(largest, Math.abs(vector[index] ?? 0));
	}
	if (largest === 0) return 0;
	const factor = ROW_LARGEST / largest;
	let product = 0;
	let square = 0;
	for (let index = 0; index < vector.length; index++) {
		const component = vector[index] ?? 0;
		const integer = Math.round(component * factor);
		target[offset + index] = integer;
		product += integer * component;
		square += component * component;
	}
	return square / product;
}

/** What rounding took from the row that begins at `offset`, in fourteenths of an integer: laid out as scalar-kernel.d.mts says. */
function refine(
	vector: ArrayLike<number>,
	rows: Int8Array,
	fines: Uint8Array,
	{ offset, scale }: { readonly offset: number; readonly scale: number },
): void {
	const half = FINE_LANES / 2;
	const fineOf = (index: number): number => {
		const rest = (vector[index] ?? 0) / scale - (rows[offset + index] ?? 0);
		return Math.max(FINE_LEAST, Math.min(FINE_LARGEST, Math.round(rest * FINE_STEPS)));
	};
	for (let block = 0; block < vector.length; block += FINE_LANES) {
		for (let lane = 0; lane < half; lane++) {
			const [below, above] = [fineOf(block + lane), fineOf(block + half + lane)];
			fines[(offset + block) / 2 + lane] = (below & 15) | ((above & 15) << 4);
		}
	}
}

/** Quantized vectors of one segment's passages, in document order. */
export interface SegmentVectors extends RowPlanes {
	readonly embedder: EmbedderIdentity;
	/** Document `d` owns the rows from `starts[d]` to `starts[d + 1]`; one that was dead when they were made owns none. */
	readonly starts: Uint32Array;
}
