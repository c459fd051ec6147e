import { type Bytes, i32Const, localGet, localSet, OP, SIMD } from "./wasm-assembler.js";

/** Components of a row that are widened at once. */
export const LANES = 8;

/** The numbers of the steps in which a row of this many components is read. */
export function stepsOf(dimensions: number): readonly number[] {
	return Array.from({ length: dimensions / LANES }, (_, step) => step);
}

export function setToZero(vectors: readonly number[]): Bytes {
	return vectors.flatMap((vector) => [...SIMD.zero, ...localSet(vector)]);
}

export function advance(local: number, by: number): Bytes {
	return [...localGet(local), ...i32Const(by), OP.i32Add, ...localSet(local)];
}

/** Leaves one vector: the lanes of each of four locals added up, by pairs of them, then pairs of pairs. Changes the locals. */
export function addUpFour([one, two, three, four]: readonly [
	number,
	number,
	number,
	number,
]): Bytes {
	return [
		...addPair(one, two, INTERLEAVE),
		...localSet(one),
		...addPair(three, four, INTERLEAVE),
		...localSet(three),
		...addPair(one, three, JOIN),
	];
}

type Halves = readonly [readonly number[], readonly number[]];

const INTERLEAVE: Halves = [
	[0, 4, 1, 5],
	[2, 6, 3, 7],
];
const JOIN: Halves = [
	[0, 1, 4, 5],
	[2, 3, 6, 7],
];

function addPair(one: number, other: number, halves: Halves): Bytes {
	return halves.flatMap((lanes, index) => [
		...localGet(one),
		...localGet(other),
		...SIMD.shuffle32(lanes),
		...(index > 0 ? SIMD.i32x4Add : []),
	]);
}
