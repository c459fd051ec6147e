import { FINE_LANES, FINE_STEPS } from "./scalar-kernel.mjs";
import {
	advance,
	LANES,
	scanFourFunction,
	scanFunction,
	setToZero,
	stepsOf,
} from "./scan-kernel.js";
import {
	assembleModule,
	type Bytes,
	block,
	branch,
	branchIf,
	type FunctionSource,
	f32Const,
	f32Load,
	i32Const,
	localGet,
	localSet,
	loop,
	OP,
	SIMD,
	type WasmModule,
	wasm,
} from "./wasm.js";

/** Just below the 4 GiB that 32 bits can address. */
export const MEMORY_PAGES_MAX = 65_535;

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
	const bytes = assembleModule({
		memory: { module: "host", name: "memory", pagesMax: MEMORY_PAGES_MAX },
		functions: FUNCTIONS.map((of) => of(dimensions)),
	});
	return wasm.validate(bytes) ? new wasm.Module(bytes) : undefined;
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
	return {
		name: "closest",
		parameters: ["i32", "i32", "i32", "i32"],
		result: "f32",
		locals: [
			{ count: 1, type: "f32" },
			{ count: 3, type: "v128" },
		],
		code: largestOf(WHOLE, {
			sum: stepsOf(dimensions).flatMap((step) => [
				...localGet(WHOLE.rows),
				...SIMD.load8x8(step * LANES),
				...localSet(WHOLE.words),
				...addFloatProducts(WHOLE, step),
			]),
			factor: 1,
			next: advance(WHOLE.rows, dimensions),
		}),
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
	const row = [
		...localGet(at.count),
		OP.i32Eqz,
		...branchIf(1),
		...setToZero([at.low, at.high]),
		...sum,
		...localGet(at.low),
		...localGet(at.high),
		...SIMD.f32x4Add,
		...localSet(at.low),
		...[0, 1, 2, 3].flatMap((lane) => [
			...localGet(at.low),
			...SIMD.f32x4Extract(lane),
			...(lane > 0 ? [OP.f32Add] : []),
		]),
		...(factor === 1 ? [] : [...f32Const(factor), OP.f32Mul]),
		...localGet(at.scales),
		...f32Load(0),
		OP.f32Mul,
		...localGet(at.best),
		OP.f32Max,
		...localSet(at.best),
		...next,
		...advance(at.scales, 4),
		...advance(at.count, -1),
		...branch(0),
	];
	return [
		...f32Const(Number.NEGATIVE_INFINITY),
		...localSet(at.best),
		...block(loop(row)),
		...localGet(at.best),
	];
}

function addFineProducts(pair: number): Bytes {
	const half = (step: number, fines: Bytes): Bytes => [
		...localGet(FINE.rows),
		...SIMD.load8x8(step * LANES),
		...i32Const(FINE_STEPS),
		...SIMD.i16x8Splat,
		...SIMD.i16x8Mul,
		...fines,
		...SIMD.i16x8Add,
		...localSet(FINE.words),
		...addFloatProducts(FINE, step),
	];
	const shifted = (by: number, shift: Bytes): Bytes => [...i32Const(by), ...shift];
	const pairs = localGet(FINE.pairs);
	return [
		...localGet(FINE.fines),
		...SIMD.load8x8(pair * LANES),
		...localSet(FINE.pairs),
		...half(2 * pair, [...pairs, ...shifted(12, SIMD.i16x8Shl), ...shifted(12, SIMD.i16x8ShrS)]),
		...half(2 * pair + 1, [...pairs, ...shifted(4, SIMD.i16x8ShrS)]),
	];
}

/** The eight words times the step's components of the query. */
function addFloatProducts(at: typeof WHOLE, step: number): Bytes {
	const half = (sum: number, extend: Bytes, part: number): Bytes => [
		...localGet(sum),
		...localGet(at.words),
		...extend,
		...SIMD.f32x4ConvertI32x4,
		...localGet(at.query),
		...SIMD.load((2 * step + part) * 16),
		...SIMD.f32x4Mul,
		...SIMD.f32x4Add,
		...localSet(sum),
	];
	return [...half(at.low, SIMD.i32x4ExtendLow, 0), ...half(at.high, SIMD.i32x4ExtendHigh, 1)];
}
