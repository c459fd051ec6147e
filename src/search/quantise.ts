/** Rows are int8. */
const ROW_LARGEST = 127;
/** A query is there once, so it may be finer: twelve bits keep sums over 8,000 dimensions within 32 bits. */
const QUERY_LARGEST = 2_047;

/** Writes a vector as integers into `target` at `offset` and returns the scale: component = integer × scale. */
export function quantiseInto(
	vector: ArrayLike<number>,
	target: Int8Array | Int16Array,
	offset: number,
): number {
	const limit = target instanceof Int8Array ? ROW_LARGEST : QUERY_LARGEST;
	let largest = 0;
	for (let index = 0; index < vector.length; index++) {
		largest = Math.max(largest, Math.abs(vector[index] ?? 0));
	}
	if (largest === 0) return 0;
	const factor = limit / largest;
	for (let index = 0; index < vector.length; index++) {
		target[offset + index] = Math.round((vector[index] ?? 0) * factor);
	}
	return largest / limit;
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
