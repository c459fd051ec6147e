import { advance, LANES, setToZero, stepsOf } from "./kernel-parts.js";
import {
	type Bytes,
	block,
	branch,
	branchIf,
	type FunctionSource,
	f32Const,
	f32Load,
	localGet,
	localSet,
	loop,
	OP,
	SIMD,
} from "./wasm-assembler.js";

const CLOSEST = { query: 0, rows: 1, scales: 2, count: 3 } as const;
const BEST = 4;
const LOW = 5;
const HIGH = 6;
const ROW = 7;

/*
 * closest: the largest (row · query) × scale of `count` rows; query components are f32. -Infinity without rows.
 */
export function closestFunction(dimensions: number): FunctionSource {
	const row = [
		...localGet(CLOSEST.count),
		OP.i32Eqz,
		...branchIf(1),
		...setToZero([LOW, HIGH]),
		...stepsOf(dimensions).flatMap(addFloatProducts),
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
