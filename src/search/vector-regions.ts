import type { DenseScope, VectorRegion } from "./dense-side.js";
import type { EmbedderIdentity } from "./embedder.js";
import { scratchBytes } from "./scan-space.mjs";
import type { SegmentVectors } from "./segment.js";
import { createVectorArena } from "./vector-arena.js";
import { compileVectorKernel } from "./vector-kernel.js";
import {
	createVectorScan,
	type RegionLayout,
	type ScanScope,
	type ScanSetup,
} from "./vector-scan.mjs";

/** A region, and who still reads it. */
interface PlacedRegion extends VectorRegion, RegionLayout {
	readonly address: number;
	readonly bytes: number;
	readers: number;
	isReleased: boolean;
}

/** The vectors of all segments in a memory that every thread sees. */
export interface VectorRegions {
	/** Copies a segment's vectors in. Throws UNAVAILABLE when the memory is full. */
	add(vectors: SegmentVectors): VectorRegion;
	/** The region's memory is used again as soon as nobody reads it. */
	release(region: VectorRegion): void;
	/** Keeps the regions where they are until the returned function is called. */
	hold(scopes: readonly DenseScope[]): () => void;
	/** The scopes as a thread that scans needs them. */
	toScanScopes(scopes: readonly DenseScope[]): readonly ScanScope[];
	/** What a thread needs to scan; `dispose` once it has ended. */
	openSetup(): { readonly setup: ScanSetup; readonly dispose: () => void };
	closest(vector: Float32Array, region: VectorRegion, document: number): number;
	/** Bytes in use. */
	used(): number;
}

/** Rows are scored in groups of so many. */
const GROUP_ROWS = 4;
/** Below, the prefix of a row says too little of it; see docs/adr/0023. */
const PREFIX_DIMENSIONS_MIN = 128;

export interface VectorRegionsOptions {
	readonly embedder: Pick<EmbedderIdentity, "dimensions" | "matryoshka">;
	/** Most that the memory may grow to, in pages of 64 KiB. */
	readonly pagesMax?: number;
}

export function createVectorRegions({ embedder, pagesMax }: VectorRegionsOptions): VectorRegions {
	const { dimensions } = embedder;
	const prefix = prefixOf(embedder);
	const arena = createVectorArena(pagesMax);
	const allowedBy = new WeakMap<Uint8Array, number>();

	const openSetup = () => {
		const bytes = scratchBytes(dimensions);
		const scratchAt = arena.allocate(bytes);
		const setup: ScanSetup = {
			memory: arena.memory,
			dimensions,
			prefix,
			scratchAt,
			kernel: compileVectorKernel(dimensions),
			prefixKernel: prefix > 0 ? compileVectorKernel(prefix) : undefined,
		};
		return { setup, dispose: () => arena.free(scratchAt, bytes) };
	};
	const own = createVectorScan(openSetup().setup);
	const freeUnread = (region: PlacedRegion) => {
		if (region.isReleased && region.readers === 0) arena.free(region.address, region.bytes);
	};
	const countAllowed = (mask: Uint8Array): number => {
		let allowed = allowedBy.get(mask);
		if (allowed === undefined) {
			allowed = 0;
			for (const isIn of mask) allowed += isIn;
			allowedBy.set(mask, allowed);
		}
		return allowed;
	};

	return {
		add(vectors) {
			const plan = planRegion(vectors, { dimensions, prefix });
			const address = arena.allocate(plan.bytes);
			const layout = plan.layoutAt(address);
			fillRegion(arena.memory.buffer, { layout, vectors, dimensions, prefix });
			const region: PlacedRegion = {
				...layout,
				address,
				bytes: plan.bytes,
				readers: 0,
				isReleased: false,
			};
			return region;
		},
		release(released) {
			const region = released as PlacedRegion;
			if (region.isReleased) return;
			region.isReleased = true;
			freeUnread(region);
		},
		hold(scopes) {
			const regions = scopes.map(({ vectors }) => vectors as PlacedRegion);
			for (const region of regions) region.readers++;
			return () => {
				for (const region of regions) {
					region.readers--;
					freeUnread(region);
				}
			};
		},
		toScanScopes: (scopes) =>
			scopes.map(({ vectors, base, mask }) => {
				const region = toLayout(vectors as PlacedRegion);
				return { region, base, mask, allowed: mask ? countAllowed(mask) : region.documents };
			}),
		openSetup,
		closest: (vector, region, document) => own.closest(vector, region as PlacedRegion, document),
		used: arena.used,
	};
}

/** How many first components are compared before the rest; 0 when the model does not say that they tell most, or too few are left out. */
function prefixOf({ dimensions, matryoshka = [] }: VectorRegionsOptions["embedder"]): number {
	const usable = matryoshka.filter(
		(width) => width >= PREFIX_DIMENSIONS_MIN && width <= dimensions / 2 && width % 8 === 0,
	);
	return usable.length > 0 ? Math.min(...usable) : 0;
}

interface Widths {
	readonly dimensions: number;
	readonly prefix: number;
}

function planRegion({ starts, scales }: SegmentVectors, { dimensions, prefix }: Widths) {
	const documents = starts.length - 1;
	const rows = scales.length;
	const room = Math.ceil(rows / GROUP_ROWS) * GROUP_ROWS;
	let bytes = 0;
	const place = (size: number): number => {
		const at = bytes;
		bytes += Math.ceil(size / 64) * 64;
		return at;
	};
	const rowsAt = place(room * dimensions);
	const prefixesAt = place(room * prefix);
	const scalesAt = place(room * 4);
	const ownersAt = place(rows * 4);
	const startsAt = place((documents + 1) * 4);
	const layoutAt = (address: number): RegionLayout => ({
		documents,
		rows,
		rowsAt: address + rowsAt,
		prefixesAt: prefix > 0 ? address + prefixesAt : 0,
		scalesAt: address + scalesAt,
		ownersAt: address + ownersAt,
		startsAt: address + startsAt,
	});
	return { bytes, layoutAt };
}

interface Filling extends Widths {
	readonly layout: RegionLayout;
	readonly vectors: SegmentVectors;
}

function fillRegion(buffer: SharedArrayBuffer, { layout, vectors, dimensions, prefix }: Filling) {
	const { starts, rows, scales } = vectors;
	const room = Math.ceil(layout.rows / GROUP_ROWS) * GROUP_ROWS;
	new Int8Array(buffer, layout.rowsAt, room * dimensions).set(rows);
	// The piece may have been used before: rows that only fill up a group must not score.
	const allScales = new Float32Array(buffer, layout.scalesAt, room).fill(0, layout.rows);
	allScales.set(scales);
	new Uint32Array(buffer, layout.startsAt, starts.length).set(starts);
	const owners = new Uint32Array(buffer, layout.ownersAt, layout.rows);
	for (let document = 0; document < layout.documents; document++) {
		owners.fill(document, starts[document], starts[document + 1]);
	}
	if (prefix === 0) return;
	// Words of four components: both widths are multiples of eight.
	const source = new Uint32Array(buffer, layout.rowsAt, (layout.rows * dimensions) / 4);
	const target = new Uint32Array(buffer, layout.prefixesAt, (layout.rows * prefix) / 4);
	const [step, width] = [dimensions / 4, prefix / 4];
	for (let row = 0; row < layout.rows; row++) {
		const [from, to] = [row * step, row * width];
		for (let word = 0; word < width; word++) target[to + word] = source[from + word] as number;
	}
}

/** What may be sent to another thread. */
function toLayout(region: PlacedRegion): RegionLayout {
	const { documents, rows, rowsAt, prefixesAt, scalesAt, ownersAt, startsAt } = region;
	return { documents, rows, rowsAt, prefixesAt, scalesAt, ownersAt, startsAt };
}
