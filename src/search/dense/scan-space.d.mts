import type { VectorKernel } from "./scalar-kernel.mjs";
import type { ScanCandidates } from "./scan-candidates.mjs";
import type { RegionLayout, ScanSetup } from "./vector-scan.mjs";
import type { WasmMemory, WasmModule } from "./wasm-runtime.js";

/** Most rows that a block may hold. */
export const BLOCK_ROWS: number;
/** Queries that have a seat in the scratch, so that one pass over rows can serve them all. */
export const CROWD: number;

/** Rows as the kernel for their width reads them: whole, or their prefixes. */
export interface ScanPass {
	readonly kernel: VectorKernel;
	readonly width: number;
	readonly start: "rowsAt" | "prefixesAt";
	readonly scales: "scalesAt" | "prefixScalesAt";
}

/** What a scan works with: passes over rows, byte offsets of its scratch, and views of the memory. */
export interface ScanSpace {
	readonly dimensions: number;
	/** One float32 query. */
	readonly queryAt: number;
	/** One float32 floor per seat. */
	readonly floorsAt: number;
	/** What the last block found, as the kernel writes it. */
	readonly foundAt: number;
	readonly closest: VectorKernel["closest"];
	readonly closestFine: VectorKernel["closestFine"];
	readonly overRows: ScanPass;
	readonly overPrefixes: ScanPass | undefined;
	readonly floats: Float32Array;
	readonly integers: Uint32Array;
}

export interface ScanBlock {
	readonly pass: ScanPass;
	readonly row: number;
	/** Rows from there on, at most BLOCK_ROWS; up to three that fill up a group of four are looked at, too, and never found. */
	readonly count: number;
}

export function openSpace(setup: ScanSetup): ScanSpace;

/** Makes the query the one at `queryAt`, and the views those of the memory as it is now. */
export function load(space: ScanSpace, query: Float32Array): void;

/** Puts the first `width` components, rounded to int16, where a pass of that width reads this seat's query. */
export function quantizeQuery(
	space: ScanSpace,
	options: { readonly query: Float32Array; readonly width: number; readonly seat: number },
): void;

/** A query in its place, of CROWD many, and what was found for it so far. */
export interface Seat {
	readonly seat: number;
	readonly query: Float32Array | undefined;
	readonly candidates: ScanCandidates;
}

/** Finds the block's rows above the floor of the only one in the crowd; returns where the findings end. */
export function scanBlock(
	space: ScanSpace,
	region: RegionLayout,
	block: ScanBlock,
	crowd: readonly Seat[],
): number;

/** The same for a crowd in the first seats, each with its floor, which is left at `floorsAt`. */
export function scanBlockOfCrowd(
	space: ScanSpace,
	region: RegionLayout,
	block: ScanBlock,
	crowd: readonly Seat[],
): number;

/** Reads a word of each of the row's cache lines, so that they are near when the row is compared. */
export function touchRow(space: ScanSpace, region: RegionLayout, row: number): void;

/** The same for what rounding took from the row, where that is known. */
export function touchFines(space: ScanSpace, region: RegionLayout, row: number): void;

/** Bytes of scratch a scan needs, at a multiple of 64. */
export function scratchBytes(dimensions: number): number;

export function openKernel(
	module: WasmModule | undefined,
	dimensions: number,
	memory: WasmMemory,
): VectorKernel;
