import type { WasmMemory } from "./wasm.js";

/** Compares int8 rows of one width with a query; all addresses are byte offsets into one memory. */
export interface VectorKernel {
	/**
	 * Scores four rows `groups` times against an int16 query: (row · query) × scale. Those above `floor` are written to
	 * `out` in order, as an int32, the row's number counted from `first`, and a float32, its score. Returns where that ends;
	 * `out` must have room for all of them. Sums must fit 32 bits.
	 */
	scan(
		query: number,
		rows: number,
		scales: number,
		out: number,
		first: number,
		groups: number,
		floor: number,
	): number;
	/**
	 * The same for four int16 queries that lie end to end, rows two at a time: a row above any query's floor, of four float32
	 * at `floors`, is written as an int32 and four float32, its score with each query. `out` must have room for all.
	 */
	scanFour(
		queries: number,
		rows: number,
		scales: number,
		out: number,
		first: number,
		pairs: number,
		floors: number,
	): number;
	/** The largest (row · query) × scale of `count` rows, for a float32 query; -Infinity without rows. */
	closest(query: number, rows: number, scales: number, count: number): number;
	/** The same for rows and what rounding took from them (row-planes.ts). The width is a multiple of FINE_LANES. */
	closestFine(query: number, rows: number, fines: number, scales: number, count: number): number;
}

/** A component is int8 + fine / FINE_STEPS; a fine, of four bits, reaches a little beyond half an integer either way. */
export const FINE_STEPS: number;
/** Fines come in blocks of so many: a byte holds one of the first half, below, and the one as far into the second. */
export const FINE_LANES: number;

/** The fines of a row's component `index`, of the row whose fines begin at `from`. */
export function fineAt(fines: Uint8Array | Int8Array, from: number, index: number): number;

export function createScalarKernel(dimensions: number, memory: WasmMemory): VectorKernel;
