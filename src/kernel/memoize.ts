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
