import { memoizeByObject, unavailable } from "../../kernel/kernel.js";
import type { EmbedderIdentity } from "../model/embedder.js";
import type { SegmentVectors } from "./row-planes.js";
import { compileVectorKernel, MEMORY_PAGES_MAX } from "./vector-kernel.js";
import {
	createVectorScan,
	type RegionLayout,
	type ScanScope,
	type ScanSetup,
	scratchBytes,
} from "./vector-scan.mjs";
import { type WasmMemory, wasm } from "./wasm.js";

/** Vectors of one segment where queries can be compared with them. Valid until it is released. */
export interface VectorRegion {
	/** Documents of the segment. */
	readonly documents: number;
}

/** Which documents of a region a query is compared with. */
export interface DenseScope {
	readonly vectors: VectorRegion;
	/** Slot of the region's first document. */
	readonly base: number;
	/** One byte per document, 0 for those left out; undefined when all take part. */
	readonly mask: Uint8Array | undefined;
}

/** A region in the memory, with the number of searches that read it. */
interface PlacedRegion extends VectorRegion {
	/** What may be sent to another thread. */
	readonly layout: RegionLayout;
	readonly address: number;
	readonly bytes: number;
	readers: number;
	isReleased: boolean;
}

export type VectorRegions = ReturnType<typeof createVectorRegions>;

/** Below, the prefix of a row says too little of it; see docs/adr/0023. */
const PREFIX_DIMENSIONS_MIN = 128;

type VectorWidths = Pick<EmbedderIdentity, "dimensions" | "matryoshka">;

/** The vectors of all segments in a memory that every thread sees; it grows to so many pages of 64 KiB at most. */
export function createVectorRegions(embedder: VectorWidths, pagesMax?: number) {
	const { dimensions } = embedder;
	const prefix = prefixOf(embedder);
	const arena = createVectorArena(pagesMax);
	/** What a thread needs to scan; `dispose` once it has ended. */
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

	return {
		/** Copies a segment's vectors in. Throws UNAVAILABLE when the memory is full. */
		add(vectors: SegmentVectors): VectorRegion {
			const { bytes, layoutAt } = planRegion(vectors, { dimensions, prefix });
			const address = arena.allocate(bytes);
			const layout = layoutAt(address);
			fillRegion(arena.memory.buffer, { layout, vectors, dimensions, prefix });
			const region = { layout, address, bytes, readers: 0, isReleased: false };
			return { ...region, documents: layout.documents } satisfies PlacedRegion;
		},
		/** The region's memory is used again as soon as no search reads it. */
		release(released: VectorRegion): void {
			const region = released as PlacedRegion;
			if (region.isReleased) return;
			region.isReleased = true;
			freeUnread(region);
		},
		/** Keeps the regions where they are until the returned function is called. */
		hold(scopes: readonly DenseScope[]): () => void {
			const regions = scopes.map(({ vectors }) => vectors as PlacedRegion);
			for (const region of regions) region.readers++;
			return () => {
				for (const region of regions) {
					region.readers--;
					freeUnread(region);
				}
			};
		},
		/** The scopes as a thread that scans needs them. */
		toScanScopes: (scopes: readonly DenseScope[]): readonly ScanScope[] =>
			scopes.map(({ vectors, base, mask }) => {
				const region = (vectors as PlacedRegion).layout;
				return { region, base, mask, allowed: mask ? countAllowed(mask) : region.documents };
			}),
		openSetup,
		closest: (vector: Float32Array, region: VectorRegion, document: number): number =>
			own.closest(vector, (region as PlacedRegion).layout, document),
		/** Bytes in use. */
		used: arena.used,
	};
}

const countAllowed = memoizeByObject((mask: Uint8Array) => mask.reduce((sum, one) => sum + one, 0));

/** How many first components are compared before the rest; 0 when the model does not say that they carry most, or too few are left out. */
function prefixOf({ dimensions, matryoshka = [] }: VectorWidths): number {
	const usable = matryoshka.filter(
		(width) => width >= PREFIX_DIMENSIONS_MIN && width <= dimensions / 2 && width % 8 === 0,
	);
	return usable.length > 0 ? Math.min(...usable) : 0;
}

interface Gap {
	readonly address: number;
	readonly bytes: number;
}

const PAGE_BYTES = 65_536;
const ALIGNMENT = 64;
/** Zero is no address, so that it can stand for "none". */
const FIRST_ADDRESS = ALIGNMENT;

/**
 * One memory that every thread sees, cut into pieces. Address space is reserved, memory is committed as it is needed and reused,
 * but never returned to the system.
 */
export function createVectorArena(pagesMax = MEMORY_PAGES_MAX) {
	const memory = reserve(pagesMax);
	/** Free pieces by address; neighbors are always joined. */
	let gaps: readonly Gap[] = [];
	let end = FIRST_ADDRESS;
	let used = 0;

	const grow = (bytes: number): number => {
		const last = gaps.at(-1);
		const isAtEnd = last !== undefined && last.address + last.bytes === end;
		const address = isAtEnd ? last.address : end;
		const missing = address + bytes - memory.buffer.byteLength;
		if (missing > 0) growBy(memory, Math.ceil(missing / PAGE_BYTES));
		if (isAtEnd) gaps = gaps.slice(0, -1);
		end = address + bytes;
		return address;
	};
	return {
		memory,
		/**
		 * Byte offset of a free piece of at least this many bytes, a multiple of 64. What was in it before is still there.
		 * Throws UNAVAILABLE when the memory cannot grow any more.
		 */
		allocate(wanted: number): number {
			const bytes = align(wanted);
			const at = gaps.findIndex((gap) => gap.bytes >= bytes);
			const gap = gaps[at];
			const address = gap?.address ?? grow(bytes);
			if (gap) {
				const rest = { address: address + bytes, bytes: gap.bytes - bytes };
				gaps = gaps.toSpliced(at, 1, ...(rest.bytes > 0 ? [rest] : []));
			}
			used += bytes;
			return address;
		},
		/** Frees what `allocate` returned, with the same number of bytes. */
		free(address: number, wanted: number): void {
			used -= align(wanted);
			gaps = join([...gaps, { address, bytes: align(wanted) }]);
		},
		/** Bytes that are allocated. */
		used: () => used,
	};
}

/** Where a process may not reserve that much, a smaller memory is better than none. */
function reserve(pagesMax: number): WasmMemory {
	for (let maximum = pagesMax; ; maximum = Math.ceil(maximum / 4)) {
		try {
			return new wasm.Memory({ initial: 1, maximum, shared: true });
		} catch (error) {
			if (maximum === 1) throw error;
		}
	}
}

function growBy(memory: WasmMemory, pages: number): void {
	try {
		memory.grow(pages);
	} catch (cause) {
		const megabytes = Math.round(memory.buffer.byteLength / 1_048_576);
		throw unavailable(
			`The memory for vectors is full at ${megabytes} MB: serve fewer concepts from this process, or set the model to "none".`,
			{ cause },
		);
	}
}

function join(pieces: readonly Gap[]): readonly Gap[] {
	const joined: Gap[] = [];
	for (const gap of pieces.toSorted((a, b) => a.address - b.address)) {
		const before = joined.at(-1);
		if (before && before.address + before.bytes === gap.address) {
			joined[joined.length - 1] = { ...before, bytes: before.bytes + gap.bytes };
		} else {
			joined.push(gap);
		}
	}
	return joined;
}

function align(bytes: number): number {
	return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** Rows are scored in groups of so many. */
const GROUP_ROWS = 4;

/** How many bytes a segment's vectors take, and where each part lies when they begin at an address above zero. */
function planRegion(
	{ starts, scales, fines }: SegmentVectors,
	{ dimensions, prefix }: Pick<ScanSetup, "dimensions" | "prefix">,
) {
	const documents = starts.length - 1;
	const rows = scales.length;
	const padded = padToGroup(rows);
	let bytes = 0;
	const place = (size: number): number => {
		const at = bytes;
		bytes += align(size);
		return at;
	};
	const rowsAt = place(padded * dimensions);
	const finesAt = fines && place(fines.length);
	const prefixesAt = place(padded * prefix);
	const prefixScalesAt = place(prefix > 0 ? padded * 4 : 0);
	const scalesAt = place(padded * 4);
	const ownersAt = place(rows * 4);
	const startsAt = place((documents + 1) * 4);
	const layoutAt = (address: number): RegionLayout => ({
		documents,
		rows,
		rowsAt: address + rowsAt,
		finesAt: finesAt === undefined ? 0 : address + finesAt,
		prefixesAt: prefix > 0 ? address + prefixesAt : 0,
		prefixScalesAt: prefix > 0 ? address + prefixScalesAt : 0,
		scalesAt: address + scalesAt,
		ownersAt: address + ownersAt,
		startsAt: address + startsAt,
	});
	return { bytes, layoutAt };
}

interface RegionFilling extends Pick<ScanSetup, "dimensions" | "prefix"> {
	readonly layout: RegionLayout;
	readonly vectors: SegmentVectors;
}

/** Copies a segment's vectors to where the layout says. */
function fillRegion(buffer: SharedArrayBuffer, filling: RegionFilling): void {
	const { layout, vectors, dimensions, prefix } = filling;
	const { starts, rows, fines, scales } = vectors;
	const padded = padToGroup(layout.rows);
	new Int8Array(buffer, layout.rowsAt, padded * dimensions).set(rows);
	if (fines) new Uint8Array(buffer, layout.finesAt, fines.length).set(fines);
	// The piece may have been used before: rows that only fill up a group must not score.
	new Float32Array(buffer, layout.scalesAt, padded).fill(0, layout.rows).set(scales);
	new Uint32Array(buffer, layout.startsAt, starts.length).set(starts);
	const owners = new Uint32Array(buffer, layout.ownersAt, layout.rows);
	for (let document = 0; document < layout.documents; document++) {
		owners.fill(document, starts[document], starts[document + 1]);
	}
	if (prefix > 0) fillPrefixes(buffer, filling);
}

function fillPrefixes(buffer: SharedArrayBuffer, { layout, dimensions, prefix }: RegionFilling) {
	// Words of four components: both widths are multiples of eight.
	const source = new Uint32Array(buffer, layout.rowsAt, (layout.rows * dimensions) / 4);
	const target = new Uint32Array(buffer, layout.prefixesAt, (layout.rows * prefix) / 4);
	const components = new Int8Array(buffer, layout.prefixesAt, layout.rows * prefix);
	const padded = padToGroup(layout.rows);
	const scales = new Float32Array(buffer, layout.prefixScalesAt, padded).fill(0, layout.rows);
	const [step, width] = [dimensions / 4, prefix / 4];
	for (let row = 0; row < layout.rows; row++) {
		const [from, to] = [row * step, row * width];
		for (let word = 0; word < width; word++) target[to + word] = source[from + word] as number;
		scales[row] = inverseLength(components, row * prefix, prefix);
	}
}

/** Of a prefix, whose cosine says more of the whole row's than its product does. */
function inverseLength(components: Int8Array, from: number, count: number): number {
	let squares = 0;
	for (let at = from; at < from + count; at++) {
		const component = components[at] as number;
		squares += component * component;
	}
	return squares > 0 ? 1 / Math.sqrt(squares) : 0;
}

function padToGroup(rows: number): number {
	return Math.ceil(rows / GROUP_ROWS) * GROUP_ROWS;
}
