/** Makes a value when it is first asked for, and once; again after a failure. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
	let made: { readonly value: Promise<T> } | undefined;
	return () => {
		if (made) return made.value;
		const value = make();
		made = { value };
		value.catch(() => {
			made = undefined;
		});
		return value;
	};
}

/** What a derived document depends on beside its own key. */
export type Versions = () => readonly unknown[];

/**
 * Makes each value once per key and version: when any of the versions changes, every value is made anew.
 * Values that throw are not kept.
 */
export function createPerRevision<T>(
	versions: Versions,
	make: (key: string) => T,
): (key: string) => T {
	let current: readonly unknown[] = [];
	let made = new Map<string, T>();
	return (key) => {
		const now = versions();
		if (now.length !== current.length || now.some((version, index) => version !== current[index])) {
			current = now;
			made = new Map();
		}
		const known = made.get(key);
		if (known !== undefined) return known;
		const value = make(key);
		made.set(key, value);
		return value;
	};
}
