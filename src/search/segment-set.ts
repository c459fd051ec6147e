import type { Graph } from "../knowledge/graph.js";
import type { DenseSide, VectorRegion } from "./dense-side.js";
import type { GraphIndex } from "./index-state.js";
import type { Segment, SegmentVectors } from "./segment.js";

/** A graph and the segment derived from this version of it. */
export interface IndexedSegment {
	readonly graph: Graph;
	readonly segment: Segment;
}

/** The segments searches see, and how far the vectors of the next set are. */
export interface SegmentSet {
	find(graphId: string): IndexedSegment | undefined;
	all(): readonly IndexedSegment[];
	/** Shows searches another set. */
	replace(next: ReadonlyMap<string, IndexedSegment>): void;
	copy(): Map<string, IndexedSegment>;
	/** Begins to count a new run of embedding from zero. */
	restartCount(): void;
	/** Tells how many concepts the run has embedded so far, shown or not. */
	count(embedded: number): void;
	/** Concepts that have no vector yet. */
	waiting(): number;
}

export interface SegmentSetDeps {
	readonly denseSide: DenseSide | undefined;
	readonly publish: (graphs: readonly GraphIndex[]) => void;
}

export function createSegmentSet({ denseSide, publish }: SegmentSetDeps): SegmentSet {
	/** Regions of the segments that searches see, by their vectors. */
	let regions: ReadonlyMap<SegmentVectors, VectorRegion> = new Map();
	const show = (shownSegments: Iterable<IndexedSegment>) => {
		const next = new Map<SegmentVectors, VectorRegion>();
		const regionOf = ({ vectors }: Segment) => {
			const region = vectors && (regions.get(vectors) ?? denseSide?.add(vectors));
			if (vectors && region) next.set(vectors, region);
			return region;
		};
		publish(
			[...shownSegments].map(({ graph, segment }) => ({
				graph,
				parts: [{ segment, concepts: graph.concepts, vectors: regionOf(segment) }],
			})),
		);
		for (const [vectors, region] of regions) if (!next.has(vectors)) denseSide?.release(region);
		regions = next;
	};
	let segments: ReadonlyMap<string, IndexedSegment> = new Map();
	let embedded = 0;
	let shown = 0;
	return {
		find: (graphId) => segments.get(graphId),
		all: () => [...segments.values()],
		replace(next) {
			segments = next;
			shown = embedded;
			show(next.values());
		},
		copy: () => new Map(segments),
		restartCount() {
			embedded = 0;
			shown = 0;
		},
		count(total) {
			embedded = total;
		},
		waiting() {
			let concepts = 0;
			for (const { segment } of segments.values()) {
				if (!segment.vectors) concepts += segment.conceptIds.length;
			}
			return Math.max(0, concepts - (embedded - shown));
		},
	};
}
