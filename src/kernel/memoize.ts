/** Derives a value per object, once for as long as the object lives. */
export function memoizeByObject<Key extends object, Value extends NonNullable<unknown>>(
	derive: (key: Key) => Value,
): (key: Key) => Value {
	const values = new WeakMap<Key, Value>();
	return (key) => {
		const known = values.get(key);
		if (known !== undefined) return known;
		const value = derive(key);
		values.set(key, value);
		return value;
	};
}

/** Computes a value at the first call and keeps it; a failure is not kept. */
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

/** Memoizes by key until any of the versions changes, which drops every value. What throws is not kept. */
export function createPerRevision<T>(
	versions: () => readonly unknown[],
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
