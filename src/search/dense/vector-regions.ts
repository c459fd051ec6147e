import type { EmbedderIdentity } from "../model/embedder.js";
import { fillRegion, planRegion } from "./region-layout.js";
import type { SegmentVectors } from "./row-planes.js";
import { scratchBytes } from "./scan-space.mjs";
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

/** What may be sent to another thread. */
function toLayout(region: PlacedRegion): RegionLayout {
	const { documents, rows, rowsAt, finesAt, prefixesAt, prefixScalesAt } = region;
	const { scalesAt, ownersAt, startsAt } = region;
	const prefixes = { prefixesAt, prefixScalesAt };
	return { documents, rows, rowsAt, finesAt, ...prefixes, scalesAt, ownersAt, startsAt };
}

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
