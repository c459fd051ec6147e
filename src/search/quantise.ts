const LARGEST = 127;

/**
 * Writes a vector as int8 into `target` at `offset` and returns the scale: component = int8 × scale.
 * Values stay within ±127, so that sums of two products fit 16 bits.
 */
export function quantiseInto(vector: ArrayLike<number>, target: Int8Array, offset: number): number {
	let largest = 0;
	for (let index = 0; index < vector.length; index++) {
		largest = Math.max(largest, Math.abs(vector[index] ?? 0));
	}
	if (largest === 0) return 0;
	const factor = LARGEST / largest;
	for (let index = 0; index < vector.length; index++) {
		target[offset + index] = Math.round((vector[index] ?? 0) * factor);
	}
	return largest / LARGEST;
}

/** Dot product of a float vector with an int8 row and its scale; what a scan's best rows are rescored by. */
export function floatDot(
	query: Float32Array,
	rows: Int8Array,
	offset: number,
	scale: number,
): number {
	let sum = 0;
	for (let index = 0; index < query.length; index++) {
		sum += (query[index] as number) * (rows[offset + index] as number);
	}
	return sum * scale;
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
