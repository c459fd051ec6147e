import type { Segment } from "./segment.js";

/** The segments searches see, and how far the vectors of the next set are. */
export interface SegmentSet {
	find(graphId: string): Segment | undefined;
	all(): readonly Segment[];
	/** Shows searches another set. */
	replace(next: ReadonlyMap<string, Segment>): void;
	copy(): Map<string, Segment>;
	/** Begins to count a new run of embedding from zero. */
	restartCount(): void;
	/** Tells how many concepts the run has embedded so far, shown or not. */
	count(embedded: number): void;
	/** Concepts that have no vector yet. */
	waiting(): number;
}

export function createSegmentSet(publish: (segments: readonly Segment[]) => void): SegmentSet {
	let segments: ReadonlyMap<string, Segment> = new Map();
	let embedded = 0;
	let shown = 0;
	return {
		find: (graphId) => segments.get(graphId),
		all: () => [...segments.values()],
		replace(next) {
			segments = next;
			shown = embedded;
			publish([...next.values()]);
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
			for (const { vectors, conceptIds } of segments.values()) {
				if (!vectors) concepts += conceptIds.length;
			}
			return Math.max(0, concepts - (embedded - shown));
		},
	};
}
