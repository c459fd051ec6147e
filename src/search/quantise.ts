/** Rows are int8. */
const ROW_LARGEST = 127;

/**
 * Writes a vector as integers into `target` at `offset` and returns the scale: component = integer × scale, and a vector's product
 * with its own integers is exact: what rounding costs in the direction of close queries is evened out.
 */
export function quantiseInto(vector: ArrayLike<number>, target: Int8Array, offset: number): number {
	let largest = 0;
	for (let index = 0; index < vector.length; index++) {
		largest = Math.max(largest, Math.abs(vector[index] ?? 0));
	}
	if (largest === 0) return 0;
	const factor = ROW_LARGEST / largest;
	let product = 0;
	let square = 0;
	for (let index = 0; index < vector.length; index++) {
		const component = vector[index] ?? 0;
		const integer = Math.round(component * factor);
		target[offset + index] = integer;
		product += integer * component;
		square += component * component;
	}
	return square / product;
}

/** Scales a vector to length one, in place; a zero vector stays zero. */
export function toUnitLength(vector: Float32Array): Float32Array {
	let sum = 0;
	for (const value of vector) sum += value * value;
	const length = Math.sqrt(sum);
	if (length > 0)
		for (let index = 0; index < vector.length; index++)
			vector[index] = (vector[index] as number) / length;
	return vector;
}
