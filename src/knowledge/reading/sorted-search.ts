/** The first of `count` places for which `isReached` holds, where it holds for all after it; `count` when for none. */
export function firstWhere(count: number, isReached: (index: number) => boolean): number {
	let low = 0;
	let high = count;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (isReached(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}
