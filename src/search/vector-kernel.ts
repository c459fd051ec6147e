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
	when,
} from "./wasm-assembler.js";
import { type WasmModule, wasm } from "./wasm-runtime.js";

/** Components of a row that are widened at once. */
const LANES = 8;
/** Rows that are scored at once. */
const GROUP = 4;
/** Just below the 4 GiB that 32 bits can address. */
export const MEMORY_PAGES_MAX = 65_535;

const compiled = new Map<number, WasmModule | undefined>();

/**
 * The kernel for rows of this many components, as described in vector-scan.d.mts; undefined where WebAssembly has no
 * SIMD or the width is no multiple of eight: plain JavaScript takes its place.
 */
export function compileVectorKernel(dimensions: number): WasmModule | undefined {
	if (!compiled.has(dimensions)) compiled.set(dimensions, compile(dimensions));
	return compiled.get(dimensions);
}

function compile(dimensions: number): WasmModule | undefined {
	if (dimensions % LANES !== 0) return undefined;
	const bytes = assembleModule({
		memory: { module: "host", name: "memory", pagesMax: MEMORY_PAGES_MAX },
		functions: [scanFunction(dimensions), closestFunction(dimensions)],
	});
	return wasm.validate(bytes) ? new wasm.Module(bytes) : undefined;
}

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
function scanFunction(dimensions: number): FunctionSource {
	const steps = Array.from({ length: dimensions / LANES }, (_, step) => step);
	const group = [
		...localGet(SCAN.groups),
		OP.i32Eqz,
		...branchIf(1),
		...SUMS.flatMap((sum) => [...SIMD.zero, ...localSet(sum)]),
		...steps.flatMap((step) => addProducts(step, dimensions)),
		...toScores(),
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

/** Adds each row's four partial sums by pairs of rows, then pairs of pairs. */
function toScores(): Bytes {
	const addPair = (
		one: Bytes,
		other: Bytes,
		lanes: readonly [readonly number[], readonly number[]],
	) =>
		lanes.flatMap((order, index) => [
			...one,
			...other,
			...SIMD.shuffle32(order),
			...(index > 0 ? SIMD.i32x4Add : []),
		]);
	const interleave = [
		[0, 4, 1, 5],
		[2, 6, 3, 7],
	] as const;
	const join = [
		[0, 1, 4, 5],
		[2, 3, 6, 7],
	] as const;
	return [
		...addPair(localGet(SUMS[0]), localGet(SUMS[1]), interleave),
		...localSet(SUMS[0]),
		...addPair(localGet(SUMS[2]), localGet(SUMS[3]), interleave),
		...localSet(SUMS[2]),
		...addPair(localGet(SUMS[0]), localGet(SUMS[2]), join),
		...SIMD.f32x4ConvertI32x4,
		...localGet(SCAN.scales),
		...SIMD.load(0),
		...SIMD.f32x4Mul,
		...localSet(SUMS[0]),
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

const CLOSEST = { query: 0, rows: 1, scales: 2, count: 3 } as const;
const BEST = 4;
const LOW = 5;
const HIGH = 6;
const ROW = 7;

/*
 * closest: the largest (row · query) × scale of `count` rows; query components are f32. -Infinity without rows.
 */
function closestFunction(dimensions: number): FunctionSource {
	const steps = Array.from({ length: dimensions / LANES }, (_, step) => step);
	const row = [
		...localGet(CLOSEST.count),
		OP.i32Eqz,
		...branchIf(1),
		...[LOW, HIGH].flatMap((sum) => [...SIMD.zero, ...localSet(sum)]),
		...steps.flatMap(addFloatProducts),
		...localGet(LOW),
		...localGet(HIGH),
		...SIMD.f32x4Add,
		...localSet(LOW),
		...[0, 1, 2, 3].flatMap((lane) => [
			...localGet(LOW),
			...SIMD.f32x4Extract(lane),
			...(lane > 0 ? [OP.f32Add] : []),
		]),
		...localGet(CLOSEST.scales),
		...f32Load(0),
		OP.f32Mul,
		...localGet(BEST),
		OP.f32Max,
		...localSet(BEST),
		...advance(CLOSEST.rows, dimensions),
		...advance(CLOSEST.scales, 4),
		...advance(CLOSEST.count, -1),
		...branch(0),
	];
	return {
		name: "closest",
		parameters: ["i32", "i32", "i32", "i32"],
		result: "f32",
		locals: [
			{ count: 1, type: "f32" },
			{ count: 3, type: "v128" },
		],
		code: [
			...f32Const(Number.NEGATIVE_INFINITY),
			...localSet(BEST),
			...block(loop(row)),
			...localGet(BEST),
		],
	};
}

function addFloatProducts(step: number): Bytes {
	const half = (sum: number, extend: Bytes, part: number): Bytes => [
		...localGet(sum),
		...localGet(ROW),
		...extend,
		...SIMD.f32x4ConvertI32x4,
		...localGet(CLOSEST.query),
		...SIMD.load((2 * step + part) * 16),
		...SIMD.f32x4Mul,
		...SIMD.f32x4Add,
		...localSet(sum),
	];
	return [
		...localGet(CLOSEST.rows),
		...SIMD.load8x8(step * LANES),
		...localSet(ROW),
		...half(LOW, SIMD.i32x4ExtendLow, 0),
		...half(HIGH, SIMD.i32x4ExtendHigh, 1),
	];
}

function advance(local: number, by: number): Bytes {
	return [...localGet(local), ...i32Const(by), OP.i32Add, ...localSet(local)];
}
