/** True when both lists have the same items in the same order. */
export function isSameList<Item>(
	one: readonly Item[],
	other: readonly Item[],
	isSame: (one: Item, other: Item) => boolean = Object.is,
): boolean {
	if (one === other) return true;
	return one.length === other.length && one.every((item, at) => isSame(item, other[at] as Item));
}
