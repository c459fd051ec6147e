import {
	assembleModule,
	type Bytes,
	block,
	branch,
	branchIf,
	f32Load,
	f32Store,
	i32Const,
	i32x4ExtractLane,
	localGet,
	localSet,
	loop,
	OP,
	SIMD,
	v128Load,
	v128Zero,
} from "./wasm-assembler.js";
import { type WasmMemory, type WasmModule, wasm } from "./wasm-runtime.js";

/**
 * Scores `count` int8 rows against an int16 query: out[i] = (rows[i] · query) × scales[i], as f32.
 * All four addresses are byte offsets into one memory; sums must fit 32 bits.
 */
export type VectorKernel = (
	query: number,
	rows: number,
	scales: number,
	out: number,
	count: number,
) => void;

const LANES = 16;
const PAGE_BYTES = 65_536;

/** The kernel for vectors of this many dimensions over this memory: WebAssembly SIMD, or plain JavaScript where that is missing. */
export function createVectorKernel(
	dimensions: number,
	memory: WasmMemory,
): { readonly scan: VectorKernel; readonly isSimd: boolean } {
	const module = dimensions % LANES === 0 ? compile(dimensions) : undefined;
	if (!module) return { scan: createScalarKernel(dimensions, memory), isSimd: false };
	const instance = new wasm.Instance(module, { host: { memory } });
	return { scan: instance.exports["scan"] as VectorKernel, isSimd: true };
}

/** A memory of at least this many bytes. */
export function createVectorMemory(bytes: number): WasmMemory {
	return new wasm.Memory({ initial: Math.max(1, Math.ceil(bytes / PAGE_BYTES)) });
}

const compiled = new Map<number, WasmModule | undefined>();

function compile(dimensions: number): WasmModule | undefined {
	if (!compiled.has(dimensions)) {
		const bytes = assembleKernel(dimensions);
		compiled.set(dimensions, wasm.validate(bytes) ? new wasm.Module(bytes) : undefined);
	}
	return compiled.get(dimensions);
}

/** The same in JavaScript: what the kernel is tested against, and the way out on a machine without SIMD. */
export function createScalarKernel(dimensions: number, memory: WasmMemory): VectorKernel {
	return (query, rows, scales, out, count) => {
		const bytes = new Int8Array(memory.buffer);
		const words = new Int16Array(memory.buffer, query, dimensions);
		const floats = new Float32Array(memory.buffer);
		for (let row = 0; row < count; row++) {
			let sum = 0;
			const start = rows + row * dimensions;
			for (let index = 0; index < dimensions; index++) {
				sum += (words[index] as number) * (bytes[start + index] as number);
			}
			floats[out / 4 + row] = sum * (floats[scales / 4 + row] as number);
		}
	};
}

const PARAMETER = { query: 0, rows: 1, scales: 2, out: 3, count: 4 } as const;
const SUM = 5;
const ROW = 6;

/*
 * (module
 *   (import "host" "memory" (memory 1))
 *   (func (export "scan") (param $query i32) (param $rows i32) (param $scales i32) (param $out i32) (param $count i32)
 *     (local $sum v128) (local $row v128)
 *     (block $done (loop $next
 *       (br_if $done (i32.eqz (local.get $count)))
 *       (local.set $sum (v128.const 0))
 *       (local.set $row (v128.load offset=16*K (local.get $rows)))      ;; for each K below dimensions / 16
 *       (local.set $sum (i32x4.add
 *         (i32x4.add (local.get $sum)
 *           (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $row)) (v128.load offset=32*K (local.get $query))))
 *         (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $row)) (v128.load offset=32*K+16 (local.get $query))))) …
 *       (f32.store (local.get $out) (f32.mul
 *         (f32.convert_i32_s (… the four lanes of $sum added …)) (f32.load (local.get $scales))))
 *       rows += dimensions; scales += 4; out += 4; count -= 1
 *       (br $next)))))
 */
function assembleKernel(dimensions: number): Uint8Array<ArrayBuffer> {
	const steps = Array.from({ length: dimensions / LANES }, (_, step) => step);
	const row = [
		...localGet(PARAMETER.count),
		OP.i32Eqz,
		...branchIf(1),
		...v128Zero,
		...localSet(SUM),
		...steps.flatMap(addProducts),
		...storeScore(),
		...advance(PARAMETER.rows, dimensions),
		...advance(PARAMETER.scales, 4),
		...advance(PARAMETER.out, 4),
		...advance(PARAMETER.count, -1),
		...branch(0),
	];
	return assembleModule({
		memory: { module: "host", name: "memory" },
		name: "scan",
		parameters: ["i32", "i32", "i32", "i32", "i32"],
		locals: [{ count: 2, type: "v128" }],
		code: block(loop(row)),
	});
}

/** Sixteen products: both halves of the row's bytes are widened and multiplied with the query's words. */
function addProducts(step: number): Bytes {
	const half = (extend: Bytes, part: number): Bytes => [
		...localGet(ROW),
		...extend,
		...localGet(PARAMETER.query),
		...v128Load((2 * step + part) * LANES),
		...SIMD.i32x4Dot,
	];
	return [
		...localGet(PARAMETER.rows),
		...v128Load(step * LANES),
		...localSet(ROW),
		...localGet(SUM),
		...half(SIMD.i16x8ExtendLow, 0),
		...SIMD.i32x4Add,
		...half(SIMD.i16x8ExtendHigh, 1),
		...SIMD.i32x4Add,
		...localSet(SUM),
	];
}

function storeScore(): Bytes {
	const lanes = [0, 1, 2, 3].flatMap((lane) => [
		...localGet(SUM),
		...i32x4ExtractLane(lane),
		...(lane > 0 ? [OP.i32Add] : []),
	]);
	return [
		...localGet(PARAMETER.out),
		...lanes,
		OP.f32ConvertI32,
		...localGet(PARAMETER.scales),
		...f32Load(0),
		OP.f32Mul,
		...f32Store(0),
	];
}

function advance(local: number, by: number): Bytes {
	return [...localGet(local), ...i32Const(by), OP.i32Add, ...localSet(local)];
}
