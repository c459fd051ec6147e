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
