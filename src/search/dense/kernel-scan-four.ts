import { addUpFour, advance, LANES, setToZero, stepsOf } from "./kernel-parts.js";
import {
	type Bytes,
	block,
	branch,
	branchIf,
	type FunctionSource,
	i32Const,
	i32Store,
	localGet,
	localSet,
	loop,
	OP,
	SIMD,
	when,
} from "./wasm-assembler.js";

const SCAN = { queries: 0, rows: 1, scales: 2, out: 3, first: 4, pairs: 5, floors: 6 } as const;
const FLOOR4 = 7;
const WORDS = 8;
/** Two rows at once, each against four queries: that leaves a machine of sixteen vector registers a few to work with. */
const ROWS = [
	{ words: 9, sums: [10, 11, 12, 13] },
	{ words: 14, sums: [15, 16, 17, 18] },
] as const;
/** Bytes of what is appended: a row's number and four scores. */
const FOUND = 20;

/*
 * scanFour: while pairs-- > 0, two rows at a time:
 *   words = load8x8_s(row), once for all queries
 *   sum[q] = Σ i32x4.dot_i16x8_s(words, query words)                 for q = 0..3
 *   scores = convert(the four sums, each added up) × the row's scale
 *   if any score > its query's floor: append [row number, the four scores]
 * and returns the end of what was appended. Queries lie end to end, their components are int16.
 */
export function scanFourFunction(dimensions: number): FunctionSource {
	const pair = [
		...localGet(SCAN.pairs),
		OP.i32Eqz,
		...branchIf(1),
		...setToZero(ROWS.flatMap(({ sums }) => sums)),
		...stepsOf(dimensions).flatMap((step) => addProducts(step, dimensions)),
		...appendBetter(0),
		...appendBetter(1),
		...advance(SCAN.rows, ROWS.length * dimensions),
		...advance(SCAN.scales, ROWS.length * 4),
		...advance(SCAN.first, ROWS.length),
		...advance(SCAN.pairs, -1),
		...branch(0),
	];
	return {
		name: "scanFour",
		parameters: ["i32", "i32", "i32", "i32", "i32", "i32", "i32"],
		result: "i32",
		locals: [{ count: 12, type: "v128" }],
		code: [
			...localGet(SCAN.floors),
			...SIMD.load(0),
			...localSet(FLOOR4),
			...block(loop(pair)),
			...localGet(SCAN.out),
		],
	};
}

function addProducts(step: number, dimensions: number): Bytes {
	const widened = ROWS.flatMap(({ words }, row) => [
		...localGet(SCAN.rows),
		...SIMD.load8x8(row * dimensions + step * LANES),
		...localSet(words),
	]);
	const added = [0, 1, 2, 3].flatMap((query) => [
		...localGet(SCAN.queries),
		...SIMD.load(2 * (query * dimensions + step * LANES)),
		...localSet(WORDS),
		...ROWS.flatMap(({ words, sums }) => [
			...localGet(sums[query] as number),
			...localGet(words),
			...localGet(WORDS),
			...SIMD.i32x4Dot,
			...SIMD.i32x4Add,
			...localSet(sums[query] as number),
		]),
	]);
	return [...widened, ...added];
}

function appendBetter(row: 0 | 1): Bytes {
	const { words: scores, sums } = ROWS[row];
	const append = [
		...localGet(SCAN.out),
		...localGet(SCAN.first),
		...i32Const(row),
		OP.i32Add,
		...i32Store(0),
		...localGet(SCAN.out),
		...localGet(scores),
		...SIMD.store(4),
		...advance(SCAN.out, FOUND),
	];
	return [
		...addUpFour(sums),
		...SIMD.f32x4ConvertI32x4,
		...localGet(SCAN.scales),
		...SIMD.load32Splat(row * 4),
		...SIMD.f32x4Mul,
		...localSet(scores),
		...localGet(scores),
		...localGet(FLOOR4),
		...SIMD.f32x4Gt,
		...SIMD.anyTrue,
		...when(append),
	];
}
