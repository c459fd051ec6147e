/** Positions of the `count` (at least one) highest scores above zero within [from, to), best first; ties by position. */
export function selectTop(
	scores: Float32Array,
	range: { readonly from: number; readonly to: number },
	count: number,
	top: number[] = [],
): number[] {
	let floor = top.length < count ? 0 : scoreAt(scores, top[count - 1]);
	for (let slot = range.from; slot < range.to; slot++) {
		const score = scores[slot] as number;
		if (score <= floor) continue;
		// The weaker ones move down by one place; when the list is full, the weakest is written over.
		let at = Math.min(top.length, count - 1);
		for (; at > 0 && scoreAt(scores, top[at - 1]) < score; at--) top[at] = top[at - 1] as number;
		top[at] = slot;
		if (top.length === count) floor = scoreAt(scores, top[count - 1]);
	}
	return top;
}

function scoreAt(scores: Float32Array, slot: number | undefined): number {
	return slot === undefined ? 0 : (scores[slot] as number);
}
