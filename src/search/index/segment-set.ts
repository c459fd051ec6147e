import type { INDEX_LIMITS } from "../../contract/contract.js";
import { type Clock, ServiceError } from "../../kernel/kernel.js";
import type { Graph } from "../../knowledge/knowledge.js";
import type { DenseSide } from "../dense/dense-side.js";
import type { SegmentVectors } from "../dense/row-planes.js";
import type { VectorRegion } from "../dense/vector-regions.js";
import type { Embedder } from "../model/embedder.js";
import type { IndexFolder } from "./index-folder.js";
import type { GraphIndex } from "./index-state.js";
import type { PartedGraph, Segment, StoredPart } from "./segment.js";

export interface SetSizes {
	readonly segments: number;
	readonly tombstones: number;
	/** Concepts that have no vector yet. */
	readonly waiting: number;
	/** Why some vectors cannot be compared with, as a sentence; undefined when all can. */
	readonly refusal?: string | undefined;
}

export type SegmentSet = ReturnType<typeof createSegmentSet>;

/** Segments that another process derived, by the graph they are of. */
export type Donors = ReadonlyMap<string, readonly StoredPart[]>;

/** The parts of all graphs that searches see, and how far the vectors of the next set are. */
export function createSegmentSet(
	denseSide: DenseSide | undefined,
	publish: (graphs: readonly GraphIndex[]) => void,
) {
	/** Regions of the segments that searches see, by their vectors. */
	let regions: ReadonlyMap<SegmentVectors, VectorRegion> = new Map();
	let refusal: string | undefined;
	/** Vectors that do not fit into memory are left out; their graph is still found by keywords. */
	const place = (vectors: SegmentVectors): VectorRegion | undefined => {
		try {
			return denseSide?.add(vectors);
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			refusal = error.message;
			return undefined;
		}
	};
	const show = (graphs: Iterable<PartedGraph>) => {
		refusal = undefined;
		const next = new Map<SegmentVectors, VectorRegion>();
		const regionOf = ({ vectors }: Segment) => {
			const region = vectors && (regions.get(vectors) ?? place(vectors));
			if (vectors && region) next.set(vectors, region);
			return region;
		};
		publish(
			[...graphs].map(({ graph, parts }) => ({
				graph,
				parts: parts.map(({ segment, concepts }) => ({
					segment,
					concepts,
					vectors: regionOf(segment),
				})),
			})),
		);
		for (const [vectors, region] of regions) if (!next.has(vectors)) denseSide?.release(region);
		regions = next;
	};
	let graphs: ReadonlyMap<string, PartedGraph> = new Map();
	let sizes = sizesOf([]);
	let embedded = 0;
	let shown = 0;
	return {
		find: (graphId: string): PartedGraph | undefined => graphs.get(graphId),
		all: (): readonly PartedGraph[] => [...graphs.values()],
		/** Shows searches another set. */
		replace(next: ReadonlyMap<string, PartedGraph>): void {
			graphs = next;
			sizes = sizesOf(next.values());
			shown = embedded;
			show(next.values());
		},
		copy: (): Map<string, PartedGraph> => new Map(graphs),
		/** Begins to count a new run of embedding from zero. */
		restartCount(): void {
			embedded = 0;
			shown = 0;
		},
		/** Takes how many concepts the run has embedded so far, shown or not. */
		count(total: number): void {
			embedded = total;
		},
		sizes: (): SetSizes => ({
			...sizes,
			waiting: Math.max(0, sizes.waiting - (embedded - shown)),
			refusal,
		}),
	};
}

function sizesOf(graphs: Iterable<PartedGraph>): SetSizes {
	let [segments, tombstones, waiting] = [0, 0, 0];
	for (const { parts } of graphs) {
		segments += parts.length;
		for (const { segment, concepts, live } of parts) {
			tombstones += concepts.length - live;
			if (!segment.vectors) waiting += live;
		}
	}
	return { segments, tombstones, waiting };
}

/** What the parts of the index work with. */
export interface IndexContext {
	readonly clock: Clock;
	readonly index: IndexFolder;
	readonly embedder: Embedder | undefined;
	readonly segments: SegmentSet;
	readonly limits: IndexLimits;
	/** True for a version whose vectors another process makes: here they are waited for. */
	readonly isMadeElsewhere?: ((graph: Graph) => boolean) | undefined;
}

/** One call of sync. */
export interface SyncRun {
	readonly graphs: readonly Graph[];
	readonly options: SyncOptions;
	/** False once a newer sync has begun or the engine closes. */
	readonly goesOn: () => boolean;
	/** Aborted when the engine closes; a newer sync needs what an older one derives, and lets it finish. */
	readonly closing: AbortSignal;
}

export interface SyncOptions {
	readonly onProgress?: (progress: ReindexProgress) => void;
	/** Derives everything again; what has vectors stays in use until its successor has them too. */
	readonly rebuild?: boolean;
	/**
	 * "await" (default) resolves when all vectors are made and stored, or once the model has failed: `status` then says
	 * what is pending and why, and it is made later. "background" resolves as soon as keyword search works.
	 */
	readonly vectors?: "await" | "background";
	/** Segments that other processes derived of some of the graphs. */
	readonly donors?: Donors | undefined;
}

/** Concepts done by one stage; the vectors are made after the keyword side of all graphs. */
export interface ReindexProgress {
	readonly stage: "keywords" | "vectors";
	readonly done: number;
	readonly total: number;
}

export type IndexLimits = { readonly [name in keyof typeof INDEX_LIMITS]: number };
