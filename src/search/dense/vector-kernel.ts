import { FINE_LANES, FINE_STEPS } from "./scalar-kernel.mjs";
import {
	assembleModule,
	type Bytes,
	block,
	branch,
	branchIf,
	type FunctionSource,
	f32Const,
	f32Load,
	f32Store,
	i32Const,
	i32Store,
	localGet,
	localSet,
	loop,
	OP,
	SIMD,
	type WasmModule,
	wasm,
	when,
} from "./wasm.js";

/** Just below the 4 GiB that 32 bits can address. */
export const MEMORY_PAGES_MAX = 65_535;

/** Components of a row that are widened at once. */
const LANES = 8;

const FUNCTIONS = [scanFunction, scanFourFunction, closestFunction, closestFineFunction];

const compiled = new Map<number, WasmModule | undefined>();

/**
 * The kernel for rows of this many components, as described in scalar-kernel.d.mts; undefined where WebAssembly has no
 * SIMD or the width is no multiple of eight: plain JavaScript takes its place.
 */
export function compileVectorKernel(dimensions: number): WasmModule | undefined {
	if (!compiled.has(dimensions)) compiled.set(dimensions, compile(dimensions));
	return compiled.get(dimensions);
}

function compile(dimensions: number): WasmModule | undefined {
	if (dimensions % LANES !== 0) return undefined;
	const functions = FUNCTIONS.map((of) => of(dimensions));
	const bytes = assembleModule(functions, MEMORY_PAGES_MAX);
	return wasm.validate(bytes) ? new wasm.Module(bytes) : undefined;
}

/** The numbers of the steps in which a row of this many components is read. */
function stepsOf(dimensions: number): readonly number[] {
	return Array.from({ length: dimensions / LANES }, (_, step) => step);
}

function setToZero(vectors: readonly number[]): Bytes {
	return vectors.flatMap((vector) => localSet(vector, SIMD.zero));
}

function advance(local: number, by: number): Bytes {
	return localSet(local, OP.i32Add(localGet(local), i32Const(by)));
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
function scanFunction(dimensions: number): FunctionSource {
	const scales = SIMD.load(localGet(SCAN.scales), 0);
	const code = [
		...setToZero(SUMS),
		...stepsOf(dimensions).flatMap((step) => [
			...localSet(QUERY_WORDS, SIMD.load(localGet(SCAN.query), 2 * step * LANES)),
			...SUMS.flatMap((sum, row) =>
				addProducts(sum, SIMD.load8x8(localGet(SCAN.rows), row * dimensions + step * LANES)),
			),
		]),
		...localSet(SUMS[0], SIMD.f32x4Mul(SIMD.f32x4ConvertI32x4(addUpFour(SUMS)), scales)),
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
			...localSet(FLOOR4, SIMD.f32x4Splat(localGet(SCAN.floor))),
			...scanRounds(SUMS.length, dimensions, code),
		],
	};
}

/** Adds the products of these words and those of the query to a sum. */
function addProducts(sum: number, words: Bytes): Bytes {
	const products = SIMD.i32x4Dot(words, localGet(QUERY_WORDS));
	return localSet(sum, SIMD.i32x4Add(localGet(sum), products));
}

/** Every row is written; only past those above the floor does the end move on. */
function appendRowsAbove(): Bytes {
	const [scores] = SUMS;
	const isAbove = SIMD.f32x4Gt(localGet(scores), localGet(FLOOR4));
	const lanes = [0, 1, 2, 3].flatMap((lane) => {
		const bit = OP.i32And(OP.i32ShrU(localGet(ABOVE), i32Const(lane)), i32Const(1));
		return [
			...storeRowNumber(lane),
			...f32Store(localGet(SCAN.out), SIMD.f32x4Extract(localGet(scores), lane), 4),
			...localSet(SCAN.out, OP.i32Add(localGet(SCAN.out), OP.i32Shl(bit, i32Const(3)))),
		];
	});
	return [...localSet(ABOVE, SIMD.i32x4Bitmask(isAbove)), ...lanes];
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
function scanFourFunction(dimensions: number): FunctionSource {
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
			...localSet(FLOOR4, SIMD.load(localGet(SCAN.floor), 0)),
			...scanRounds(ROWS.length, dimensions, code),
		],
	};
}

function addQueryProducts(step: number, dimensions: number): Bytes {
	const widened = ROWS.flatMap(({ words }, row) =>
		localSet(words, SIMD.load8x8(localGet(SCAN.rows), row * dimensions + step * LANES)),
	);
	const added = ([0, 1, 2, 3] as const).flatMap((query) => {
		const offset = 2 * (query * dimensions + step * LANES);
		return [
			...localSet(QUERY_WORDS, SIMD.load(localGet(SCAN.query), offset)),
			...ROWS.flatMap(({ words, sums }) => addProducts(sums[query], localGet(words))),
		];
	});
	return [...widened, ...added];
}

function appendIfAbove(row: 0 | 1): Bytes {
	const { words: scores, sums } = ROWS[row];
	const scale = SIMD.load32Splat(localGet(SCAN.scales), row * 4);
	const append = [
		...storeRowNumber(row),
		...SIMD.store(localGet(SCAN.out), localGet(scores), 4),
		...advance(SCAN.out, FOUND),
	];
	return [
		...localSet(scores, SIMD.f32x4Mul(SIMD.f32x4ConvertI32x4(addUpFour(sums)), scale)),
		...whenAboveFloor(scores, append),
	];
}

/** Runs the code once per `rows` rows and leaves the end of what was appended. */
function scanRounds(rows: number, dimensions: number, code: Bytes): Bytes {
	const round = [
		...branchIf(OP.i32Eqz(localGet(SCAN.rounds)), 1),
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
	return when(SIMD.anyTrue(SIMD.f32x4Gt(localGet(scores), localGet(FLOOR4))), code);
}

function storeRowNumber(row: number): Bytes {
	return i32Store(localGet(SCAN.out), OP.i32Add(localGet(SCAN.first), i32Const(row)), 0);
}

/** Leaves one vector: the lanes of each of four locals added up, by pairs of them, then pairs of pairs. Changes the locals. */
function addUpFour(sums: readonly [number, number, number, number]): Bytes {
	const [one, two, three, four] = sums;
	return [
		...localSet(one, addPair(one, two, INTERLEAVE)),
		...localSet(three, addPair(three, four, INTERLEAVE)),
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

function addPair(one: number, other: number, [low, high]: Halves): Bytes {
	const half = (lanes: readonly number[]) => SIMD.shuffle32(localGet(one), localGet(other), lanes);
	return SIMD.i32x4Add(half(low), half(high));
}

/** Parameters and locals; the same in both functions, but for the fines, which stand before what follows them. */
const WHOLE = { query: 0, rows: 1, scales: 2, count: 3, best: 4, low: 5, high: 6, words: 7 };
const FINE = {
	...{ query: 0, rows: 1, fines: 2, scales: 3, count: 4, best: 5, low: 6, high: 7, words: 8 },
	pairs: 9,
};

/*
 * closest: the largest (row · query) × scale of `count` rows; query components are f32. -Infinity without rows.
 */
function closestFunction(dimensions: number): FunctionSource {
	const sum = stepsOf(dimensions).flatMap((step) => [
		...localSet(WHOLE.words, SIMD.load8x8(localGet(WHOLE.rows), step * LANES)),
		...addFloatProducts(WHOLE, step),
	]);
	return {
		name: "closest",
		parameters: ["i32", "i32", "i32", "i32"],
		result: "f32",
		locals: [
			{ count: 1, type: "f32" },
			{ count: 3, type: "v128" },
		],
		code: largestOf(WHOLE, { sum, factor: 1, next: advance(WHOLE.rows, dimensions) }),
	};
}

/*
 * closestFine: the same, where a component is int8 + fine / FINE_STEPS. A byte of fines holds two of four bits, with sign:
 *   pairs = load8x8_s(fines)
 *   words = load8x8_s(row) × FINE_STEPS + (pairs << 12 >> 12)            for the first eight of each sixteen
 *   words = load8x8_s(row) × FINE_STEPS + (pairs >> 4)                   for the other eight
 */
function closestFineFunction(dimensions: number): FunctionSource {
	const blocks = dimensions % FINE_LANES === 0 ? stepsOf(dimensions / 2) : [];
	return {
		name: "closestFine",
		parameters: ["i32", "i32", "i32", "i32", "i32"],
		result: "f32",
		locals: [
			{ count: 1, type: "f32" },
			{ count: 4, type: "v128" },
		],
		code: largestOf(FINE, {
			sum: blocks.flatMap(addFineProducts),
			factor: 1 / FINE_STEPS,
			next: [...advance(FINE.rows, dimensions), ...advance(FINE.fines, dimensions / 2)],
		}),
	};
}

/** `sum` adds the products of one row to the two sums, `next` moves on to the next row. */
function largestOf(
	at: typeof WHOLE,
	{ sum, factor, next }: { readonly sum: Bytes; readonly factor: number; readonly next: Bytes },
): Bytes {
	const total = [0, 1, 2, 3]
		.map((lane) => SIMD.f32x4Extract(localGet(at.low), lane))
		.reduce((added, lane) => OP.f32Add(added, lane));
	const whole = factor === 1 ? total : OP.f32Mul(total, f32Const(factor));
	const score = OP.f32Mul(whole, f32Load(localGet(at.scales), 0));
	const row = [
		...branchIf(OP.i32Eqz(localGet(at.count)), 1),
		...setToZero([at.low, at.high]),
		...sum,
		...localSet(at.low, SIMD.f32x4Add(localGet(at.low), localGet(at.high))),
		...localSet(at.best, OP.f32Max(score, localGet(at.best))),
		...next,
		...advance(at.scales, 4),
		...advance(at.count, -1),
		...branch(0),
	];
	return [
		...localSet(at.best, f32Const(Number.NEGATIVE_INFINITY)),
		...block(loop(row)),
		...localGet(at.best),
	];
}

function addFineProducts(pair: number): Bytes {
	const half = (step: number, fines: Bytes): Bytes => {
		const row = SIMD.load8x8(localGet(FINE.rows), step * LANES);
		const whole = SIMD.i16x8Mul(row, SIMD.i16x8Splat(i32Const(FINE_STEPS)));
		return [...localSet(FINE.words, SIMD.i16x8Add(whole, fines)), ...addFloatProducts(FINE, step)];
	};
	const pairs = localGet(FINE.pairs);
	const below = SIMD.i16x8ShrS(SIMD.i16x8Shl(pairs, i32Const(12)), i32Const(12));
	return [
		...localSet(FINE.pairs, SIMD.load8x8(localGet(FINE.fines), pair * LANES)),
		...half(2 * pair, below),
		...half(2 * pair + 1, SIMD.i16x8ShrS(pairs, i32Const(4))),
	];
}

/** The eight words times the step's components of the query. */
function addFloatProducts(at: typeof WHOLE, step: number): Bytes {
	const half = (sum: number, words: Bytes, part: number): Bytes => {
		const query = SIMD.load(localGet(at.query), (2 * step + part) * 16);
		const products = SIMD.f32x4Mul(SIMD.f32x4ConvertI32x4(words), query);
		return localSet(sum, SIMD.f32x4Add(localGet(sum), products));
	};
	const words = localGet(at.words);
	return [
		...half(at.low, SIMD.i32x4ExtendLow(words), 0),
		...half(at.high, SIMD.i32x4ExtendHigh(words), 1),
	];
}
