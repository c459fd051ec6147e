/** A binary heap: what is least by `compare` comes out first. */
export interface LeastFirst<T> {
	add(item: T): void;
	take(): T | undefined;
}

export function createLeastFirst<T>(compare: (a: T, b: T) => number): LeastFirst<T> {
	const items: T[] = [];
	const isBefore = (a: number, b: number) => compare(items[a] as T, items[b] as T) < 0;
	const swap = (a: number, b: number) => {
		const kept = items[a] as T;
		items[a] = items[b] as T;
		items[b] = kept;
	};
	const leastOf = (at: number): number => {
		const left = 2 * at + 1;
		const right = left + 1;
		const least = left < items.length && isBefore(left, at) ? left : at;
		return right < items.length && isBefore(right, least) ? right : least;
	};
	const sink = () => {
		for (let at = 0, least = leastOf(at); least !== at; least = leastOf(at)) {
			swap(at, least);
			at = least;
		}
	};
	return {
		add(item) {
			items.push(item);
			for (let at = items.length - 1; at > 0; ) {
				const parent = (at - 1) >> 1;
				if (!isBefore(at, parent)) return;
				swap(at, parent);
				at = parent;
			}
		},
		take() {
			const last = items.pop();
			if (last === undefined || items.length === 0) return last;
			const [first] = items;
			items[0] = last;
			sink();
			return first;
		},
	};
}
