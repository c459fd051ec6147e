import { INDEX_LIMITS } from "../../contract/contract.js";

export type IndexLimits =
	| typeof INDEX_LIMITS
	| { readonly [name in keyof typeof INDEX_LIMITS]: number };

/** How large a segment is, dead documents included, and how much of it is alive. */
export interface SegmentSize {
	readonly documents: number;
	readonly live: number;
}

/**
 * Which segments of a graph, by position, should become one; undefined when they are well as they are. Small ones go
 * together first, and one joins them only while it is not much larger than they are together: every document is copied
 * a logarithmic number of times.
 */
export function planMerge(
	segments: readonly SegmentSize[],
	limits: IndexLimits = INDEX_LIMITS,
): readonly number[] | undefined {
	const wasteful = segments.findIndex(
		({ documents, live }) => documents - live > documents * limits.deadShareMax,
	);
	const bySize = segments.map((_, position) => position);
	bySize.sort((a, b) => liveOf(segments, a) - liveOf(segments, b));
	if (segments.length > limits.segmentsMax) {
		const chosen = chooseSmallest(segments, bySize, limits);
		if (chosen.length > 1) return chosen.sort((a, b) => a - b);
	}
	return wasteful < 0 ? undefined : [wasteful];
}

function chooseSmallest(
	segments: readonly SegmentSize[],
	bySize: readonly number[],
	{ mergedDocuments, segmentsMax }: IndexLimits,
): number[] {
	const needed = segments.length - segmentsMax + 1;
	const chosen: number[] = [];
	let together = 0;
	for (const position of bySize) {
		const live = liveOf(segments, position);
		if (together + live > mergedDocuments) break;
		if (chosen.length >= needed && live > 2 * together) break;
		chosen.push(position);
		together += live;
	}
	return chosen;
}

function liveOf(segments: readonly SegmentSize[], position: number): number {
	return segments[position]?.live ?? 0;
}
