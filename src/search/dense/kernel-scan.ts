import { addUpFour, advance, LANES, setToZero, stepsOf } from "./kernel-parts.js";
import {
	type Bytes,
	block,
	branch,
	branchIf,
	type FunctionSource,
	f32Store,
	i32Const,
	i32Store,
	localGet,
	localSet,
	loop,
	OP,
	SIMD,
	when,
} from "./wasm-assembler.js";

/** Rows that are scored at once. */
const GROUP = 4;
const SCAN = { query: 0, rows: 1, scales: 2, out: 3, first: 4, groups: 5, floor: 6 } as const;
const FLOOR4 = 7;
const WORDS = 8;
/** Four sums, one per row of the group; in the end the first holds the four scores. */
const SUMS = [9, 10, 11, 12] as const;
const ABOVE = 13;

/*
 * scan: while groups-- > 0, four rows at a time:
 *   sum[r] = Σ i32x4.dot_i16x8_s(load8x8_s(row r), query words)       for r = 0..3
 *   scores = convert(the four sums, each added up) × the four scales
 *   if any score > floor: append [row number, score] for each such row
 * and returns the end of what was appended. Rows are `dimensions` bytes apart, query components are int16.
 */
export function scanFunction(dimensions: number): FunctionSource {
	const group = [
		...localGet(SCAN.groups),
		OP.i32Eqz,
		...branchIf(1),
		...setToZero(SUMS),
		...stepsOf(dimensions).flatMap((step) => addProducts(step, dimensions)),
		...addUpFour(SUMS),
		...SIMD.f32x4ConvertI32x4,
		...localGet(SCAN.scales),
		...SIMD.load(0),
		...SIMD.f32x4Mul,
		...localSet(SUMS[0]),
		...localGet(SUMS[0]),
		...localGet(FLOOR4),
		...SIMD.f32x4Gt,
		...SIMD.anyTrue,
		...when(appendBetter()),
		...advance(SCAN.rows, GROUP * dimensions),
		...advance(SCAN.scales, GROUP * 4),
		...advance(SCAN.first, GROUP),
		...advance(SCAN.groups, -1),
		...branch(0),
	];
	return {
		name: "scan",
		parameters: ["i32", "i32", "i32", "i32", "i32", "i32", "f32"],
		result: "i32",
		locals: [
			{ count: 6, type: "v128" },
			{ count: 1, type: "i32" },
		],
		code: [
			...localGet(SCAN.floor),
			...SIMD.f32x4Splat,
			...localSet(FLOOR4),
			...block(loop(group)),
			...localGet(SCAN.out),
		],
	};
}

function addProducts(step: number, dimensions: number): Bytes {
	return [
		...localGet(SCAN.query),
		...SIMD.load(2 * step * LANES),
		...localSet(WORDS),
		...SUMS.flatMap((sum, row) => [
			...localGet(sum),
			...localGet(SCAN.rows),
			...SIMD.load8x8(row * dimensions + step * LANES),
			...localGet(WORDS),
			...SIMD.i32x4Dot,
			...SIMD.i32x4Add,
			...localSet(sum),
		]),
	];
}

/** Every row is written; only past those above the floor does the end move on. */
function appendBetter(): Bytes {
	const lanes = [0, 1, 2, 3].flatMap((lane) => [
		...localGet(SCAN.out),
		...localGet(SCAN.first),
		...i32Const(lane),
		OP.i32Add,
		...i32Store(0),
		...localGet(SCAN.out),
		...localGet(SUMS[0]),
		...SIMD.f32x4Extract(lane),
		...f32Store(4),
		...localGet(SCAN.out),
		...localGet(ABOVE),
		...i32Const(lane),
		OP.i32ShrU,
		...i32Const(1),
		OP.i32And,
		...i32Const(3),
		OP.i32Shl,
		OP.i32Add,
		...localSet(SCAN.out),
	]);
	return [
		...localGet(SUMS[0]),
		...localGet(FLOOR4),
		...SIMD.f32x4Gt,
		...SIMD.i32x4Bitmask,
		...localSet(ABOVE),
		...lanes,
	];
}
