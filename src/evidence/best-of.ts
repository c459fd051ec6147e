/** The first few of many, in order, without keeping or sorting the rest. */
export interface BestOf<Item> {
	add(item: Item): void;
	/** First to last. */
	inOrder(): readonly Item[];
}

/** `compare` is negative where its first item comes first. */
export function createBestOf<Item>(
	count: number,
	compare: (a: Item, b: Item) => number,
): BestOf<Item> {
	const kept: Item[] = [];
	return {
		add(item) {
			const last = kept.at(-1);
			if (kept.length >= count && last !== undefined && compare(item, last) >= 0) return;
			let [low, high] = [0, kept.length];
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (compare(kept[middle] as Item, item) <= 0) low = middle + 1;
				else high = middle;
			}
			kept.splice(low, 0, item);
			if (kept.length > count) kept.pop();
		},
		inOrder: () => kept,
	};
}
