import type { VectorKernel } from "./scalar-kernel.mjs";
import type { WasmMemory, WasmModule } from "./wasm.js";

/** Vectors of one segment in memory: byte offsets, and how many. */
export interface RegionLayout {
	readonly documents: number;
	readonly rows: number;
	/** int8, a multiple of four rows; those beyond `rows` have a scale of zero. */
	readonly rowsAt: number;
	/** What rounding took from the rows (row-planes.ts); 0 when that is not known. */
	readonly finesAt: number;
	/** The first components of each row once more, close together; 0 when the width has no prefix. */
	readonly prefixesAt: number;
	/** One float32 per prefix: with it, its product with a query is a cosine, but for the query's length; 0 as above. */
	readonly prefixScalesAt: number;
	/** One float32 per row. */
	readonly scalesAt: number;
	/** One uint32 per row: its document. */
	readonly ownersAt: number;
	/** One uint32 per document, and the end: its first row. */
	readonly startsAt: number;
}

/** One region as one query sees it. */
export interface ScanScope {
	readonly region: RegionLayout;
	/** Slot of the region's first document. */
	readonly base: number;
	/** One byte per document, 0 for those left out; undefined when all take part. */
	readonly mask: Uint8Array | undefined;
	/** How many documents take part. */
	readonly allowed: number;
}

/** What a thread needs to compare vectors: rows have `dimensions` components, of which the first `prefix` tell most; 0 for none. */
export interface ScanSetup {
	readonly memory: WasmMemory;
	readonly dimensions: number;
	readonly prefix: number;
	/** Where the thread may write `scratchBytes(dimensions)`; no other thread does. */
	readonly scratchAt: number;
	/** Undefined: in plain JavaScript. */
	readonly kernel: WasmModule | undefined;
	readonly prefixKernel: WasmModule | undefined;
}

export interface ScanHits {
	readonly slots: number[];
	readonly cosines: Float32Array;
}

export interface VectorScan {
	/**
	 * The documents closest to a query of unit length, best first, equal ones by slot, those with a cosine of zero or less
	 * left out. `scopes` are in slot order. A document is as close as its best passage.
	 */
	search(query: Float32Array, scopes: readonly ScanScope[], count: number): ScanHits;
	/** What `search` finds for each query, to the last bit, in less time: several share a pass over the rows. */
	searchAll(
		queries: readonly Float32Array[],
		scopes: readonly ScanScope[],
		count: number,
	): readonly ScanHits[];
	/** Cosine of a query with one document, its best passage; 0 without passages. */
	closest(query: Float32Array, region: RegionLayout, document: number): number;
}

export function createVectorScan(setup: ScanSetup): VectorScan;

/** Bytes of scratch a scan needs, at a multiple of 64. */
export function scratchBytes(dimensions: number): number;

/** The compiled kernel over this memory, or the one in plain JavaScript. */
export function openKernel(
	module: WasmModule | undefined,
	dimensions: number,
	memory: WasmMemory,
): VectorKernel;
