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
} from "./wasm.js";

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

/** Parameters of both scans; the floor is a value in `scan` and an address of four in `scanFour`. */
const SCAN = { query: 0, rows: 1, scales: 2, out: 3, first: 4, rounds: 5, floor: 6 } as const;
const FLOOR4 = 7;
const QUERY_WORDS = 8;

/** Four sums, one per row of a round; in the end the first holds the four scores. */
const SUMS = [9, 10, 11, 12] as const;
const ABOVE = 13;

/*
 * scan: while rounds-- > 0, four rows at a time:
 *   sum[r] = Σ i32x4.dot_i16x8_s(load8x8_s(row r), query words)       for r = 0..3
 *   scores = convert(the four sums, each added up) × the four scales
 *   if any score > floor: append [row number, score] for each such row
 * and returns the end of what was appended. Rows are `dimensions` bytes apart, query components are int16.
 */
export function scanFunction(dimensions: number): FunctionSource {
	const code = [
		...setToZero(SUMS),
		...stepsOf(dimensions).flatMap((step) => addRowProducts(step, dimensions)),
		...addUpFour(SUMS),
		...SIMD.f32x4ConvertI32x4,
		...localGet(SCAN.scales),
		...SIMD.load(0),
		...SIMD.f32x4Mul,
		...localSet(SUMS[0]),
		...whenAboveFloor(SUMS[0], appendRowsAbove()),
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
			...scanRounds(SUMS.length, dimensions, code),
		],
	};
}

function addRowProducts(step: number, dimensions: number): Bytes {
	return [
		...localGet(SCAN.query),
		...SIMD.load(2 * step * LANES),
		...localSet(QUERY_WORDS),
		...SUMS.flatMap((sum, row) => [
			...localGet(sum),
			...localGet(SCAN.rows),
			...SIMD.load8x8(row * dimensions + step * LANES),
			...localGet(QUERY_WORDS),
			...SIMD.i32x4Dot,
			...SIMD.i32x4Add,
			...localSet(sum),
		]),
	];
}

/** Every row is written; only past those above the floor does the end move on. */
function appendRowsAbove(): Bytes {
	const lanes = [0, 1, 2, 3].flatMap((lane) => [
		...storeRowNumber(lane),
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

/** Two rows at once, each against four queries: that leaves a few of sixteen vector registers to work with. */
const ROWS = [
	{ words: 9, sums: [10, 11, 12, 13] },
	{ words: 14, sums: [15, 16, 17, 18] },
] as const;
/** Bytes of what is appended: a row's number and four scores. */
const FOUND = 20;

/*
 * scanFour: while rounds-- > 0, two rows at a time:
 *   words = load8x8_s(row), once for all queries
 *   sum[q] = Σ i32x4.dot_i16x8_s(words, query words)                 for q = 0..3
 *   scores = convert(the four sums, each added up) × the row's scale
 *   if any score > its query's floor: append [row number, the four scores]
 * and returns the end of what was appended. Queries lie end to end, their components are int16.
 */
export function scanFourFunction(dimensions: number): FunctionSource {
	const code = [
		...setToZero(ROWS.flatMap(({ sums }) => sums)),
		...stepsOf(dimensions).flatMap((step) => addQueryProducts(step, dimensions)),
		...appendIfAbove(0),
		...appendIfAbove(1),
	];
	return {
		name: "scanFour",
		parameters: ["i32", "i32", "i32", "i32", "i32", "i32", "i32"],
		result: "i32",
		locals: [{ count: 12, type: "v128" }],
		code: [
			...localGet(SCAN.floor),
			...SIMD.load(0),
			...localSet(FLOOR4),
			...scanRounds(ROWS.length, dimensions, code),
		],
	};
}

function addQueryProducts(step: number, dimensions: number): Bytes {
	const widened = ROWS.flatMap(({ words }, row) => [
		...localGet(SCAN.rows),
		...SIMD.load8x8(row * dimensions + step * LANES),
		...localSet(words),
	]);
	const added = [0, 1, 2, 3].flatMap((query) => [
		...localGet(SCAN.query),
		...SIMD.load(2 * (query * dimensions + step * LANES)),
		...localSet(QUERY_WORDS),
		...ROWS.flatMap(({ words, sums }) => [
			...localGet(sums[query] as number),
			...localGet(words),
			...localGet(QUERY_WORDS),
			...SIMD.i32x4Dot,
			...SIMD.i32x4Add,
			...localSet(sums[query] as number),
		]),
	]);
	return [...widened, ...added];
}

function appendIfAbove(row: 0 | 1): Bytes {
	const { words: scores, sums } = ROWS[row];
	const append = [
		...storeRowNumber(row),
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
		...whenAboveFloor(scores, append),
	];
}

/** Runs the code once per `rows` rows and leaves the end of what was appended. */
function scanRounds(rows: number, dimensions: number, code: Bytes): Bytes {
	const round = [
		...localGet(SCAN.rounds),
		OP.i32Eqz,
		...branchIf(1),
		...code,
		...advance(SCAN.rows, rows * dimensions),
		...advance(SCAN.scales, rows * 4),
		...advance(SCAN.first, rows),
		...advance(SCAN.rounds, -1),
		...branch(0),
	];
	return [...block(loop(round)), ...localGet(SCAN.out)];
}

function whenAboveFloor(scores: number, code: Bytes): Bytes {
	const isAnyAbove = [...SIMD.f32x4Gt, ...SIMD.anyTrue];
	return [...localGet(scores), ...localGet(FLOOR4), ...isAnyAbove, ...when(code)];
}

function storeRowNumber(row: number): Bytes {
	const rowNumber = [...localGet(SCAN.first), ...i32Const(row), OP.i32Add];
	return [...localGet(SCAN.out), ...rowNumber, ...i32Store(0)];
}

/** Leaves one vector: the lanes of each of four locals added up, by pairs of them, then pairs of pairs. Changes the locals. */
function addUpFour(sums: readonly [number, number, number, number]): Bytes {
	const [one, two, three, four] = sums;
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
