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
