/** What was used last, as long as it all fits. */
export interface SizedCache<Key, Value> {
	get(key: Key): Value | undefined;
	/** Forgets what was not used for longest until there is room; what is larger than the whole cache is not kept. */
	put(key: Key, value: Value): void;
}

export function createSizedCache<Key, Value>({
	sizeMax,
	sizeOf,
}: {
	/** In the unit of `sizeOf`. */
	readonly sizeMax: number;
	readonly sizeOf: (value: Value) => number;
}): SizedCache<Key, Value> {
	const kept = new Map<Key, Value>();
	let size = 0;
	const forget = (key: Key): void => {
		const value = kept.get(key);
		if (value === undefined) return;
		size -= sizeOf(value);
		kept.delete(key);
	};
	return {
		get(key) {
			const value = kept.get(key);
			if (value === undefined) return undefined;
			kept.delete(key);
			kept.set(key, value);
			return value;
		},
		put(key, value) {
			forget(key);
			if (sizeOf(value) > sizeMax) return;
			kept.set(key, value);
			size += sizeOf(value);
			for (const oldest of kept.keys()) {
				if (size <= sizeMax) break;
				forget(oldest);
			}
		},
	};
}
