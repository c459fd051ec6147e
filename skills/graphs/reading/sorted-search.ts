import { compareText } from "../../../src/knowledge/knowledge.js";

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

/** The place of the first of these, in the order of their ids, that comes behind an id; the id itself need not be there. */
export function firstBehind<T>(items: readonly T[], idOf: (item: T) => string, id: string): number {
	return firstWhere(items.length, (at) => compareText(idOf(items[at] as T), id) > 0);
}
