/** The part of JavaScript's WebAssembly interface we use; the compiler's library for servers does not describe it. */
export interface WasmMemory {
	/** As long as the memory was when it was asked for; ask again after it has grown. */
	readonly buffer: SharedArrayBuffer;
	/** Throws a RangeError beyond the maximum. */
	grow(pages: number): number;
}

export interface WasmModule {
	readonly _module?: never;
}

interface WasmRuntime {
	readonly Memory: new (size: {
		readonly initial: number;
		readonly maximum: number;
		readonly shared: true;
	}) => WasmMemory;
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
	/** False for bytes this machine cannot run, such as vector instructions without SIMD. */
	validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

export const wasm = (globalThis as unknown as { readonly WebAssembly: WasmRuntime }).WebAssembly;

/** Bytes of a WebAssembly module, written in TypeScript so that no binary has to be trusted or kept in git. */
export type Bytes = readonly number[];

const VALUE_TYPE = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;
type ValueType = keyof typeof VALUE_TYPE;

/** One exported function with one result. */
export interface FunctionSource {
	readonly name: string;
	readonly parameters: readonly ValueType[];
	readonly result: ValueType;
	/** Local variables after the parameters, by type, numbered in this order. */
	readonly locals: readonly { readonly count: number; readonly type: ValueType }[];
	/** Instructions of the body, without the final `end`. */
	readonly code: Bytes;
}

/** A shared memory that is imported, and functions over it: all that our kernels need. */
export interface ModuleSource {
	readonly memory: { readonly module: string; readonly name: string; readonly pagesMax: number };
	readonly functions: readonly FunctionSource[];
}

const HEADER: Bytes = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;
const SHARED_MEMORY = [0x02, 0x03] as const;

/** Assembles the module; the layout follows the core specification, "Binary Format", and its threads proposal. */
export function assembleModule({ memory, functions }: ModuleSource): Uint8Array<ArrayBuffer> {
	const types = functions.map(({ parameters, result }) => [
		0x60,
		...list(parameters.map((name) => [VALUE_TYPE[name]])),
		...list([[VALUE_TYPE[result]]]),
	]);
	const imported = [
		...text(memory.module),
		...text(memory.name),
		...SHARED_MEMORY,
		...unsigned(1),
		...unsigned(memory.pagesMax),
	];
	const indexes = functions.map((_, index) => unsigned(index));
	const exports = functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]);
	return new Uint8Array([
		...HEADER,
		...section(SECTION.type, list(types)),
		...section(SECTION.import, list([imported])),
		...section(SECTION.function, list(indexes)),
		...section(SECTION.export, list(exports)),
		...section(SECTION.code, list(functions.map(assembleBody))),
	]);
}

function assembleBody({ locals, code }: FunctionSource): Bytes {
	const groups = locals.map(({ count, type }) => [...unsigned(count), VALUE_TYPE[type]]);
	const body = [...list(groups), ...code, OP.end];
	return [...unsigned(body.length), ...body];
}

/** Instructions without immediates. */
export const OP = {
	end: 0x0b,
	i32Eqz: 0x45,
	i32Add: 0x6a,
	i32And: 0x71,
	i32Shl: 0x74,
	i32ShrU: 0x76,
	f32Add: 0x92,
	f32Mul: 0x94,
	f32Max: 0x97,
} as const;

export const block = (code: Bytes): Bytes => [0x02, 0x40, ...code, OP.end];
export const loop = (code: Bytes): Bytes => [0x03, 0x40, ...code, OP.end];
export const when = (code: Bytes): Bytes => [0x04, 0x40, ...code, OP.end];
export const branch = (depth: number): Bytes => [0x0c, ...unsigned(depth)];
export const branchIf = (depth: number): Bytes => [0x0d, ...unsigned(depth)];
export const localGet = (index: number): Bytes => [0x20, ...unsigned(index)];
export const localSet = (index: number): Bytes => [0x21, ...unsigned(index)];
export const i32Const = (value: number): Bytes => [0x41, ...signed(value)];
export const f32Const = (value: number): Bytes => [
	0x43,
	...new Uint8Array(Float32Array.of(value).buffer),
];
export const f32Load = (offset: number): Bytes => [0x2a, 0x02, ...unsigned(offset)];
export const i32Store = (offset: number): Bytes => [0x36, 0x02, ...unsigned(offset)];
export const f32Store = (offset: number): Bytes => [0x38, 0x02, ...unsigned(offset)];

const vector = (code: number): Bytes => [0xfd, ...unsigned(code)];
const access = (code: number, offset: number): Bytes => [
	...vector(code),
	0x00,
	...unsigned(offset),
];

/** Vector instructions, prefix 0xfd. */
export const SIMD = {
	load: (offset: number): Bytes => access(0, offset),
	/** Eight bytes, widened to words with their sign. */
	load8x8: (offset: number): Bytes => access(1, offset),
	/** Four bytes, in every lane. */
	load32Splat: (offset: number): Bytes => access(9, offset),
	store: (offset: number): Bytes => access(11, offset),
	zero: [...vector(12), ...new Array<number>(16).fill(0)],
	/** Four lanes of 32 bits out of two vectors: 0–3 are the first one's. */
	shuffle32: (lanes: readonly number[]): Bytes => [
		...vector(13),
		...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte)),
	],
	i16x8Splat: vector(16),
	f32x4Splat: vector(19),
	f32x4Extract: (lane: number): Bytes => [...vector(31), lane],
	f32x4Gt: vector(68),
	anyTrue: vector(83),
	i16x8Shl: vector(139),
	i16x8ShrS: vector(140),
	i16x8Add: vector(142),
	i16x8Mul: vector(149),
	i32x4Bitmask: vector(164),
	i32x4ExtendLow: vector(167),
	i32x4ExtendHigh: vector(168),
	i32x4Add: vector(174),
	i32x4Dot: vector(186),
	f32x4Add: vector(228),
	f32x4Mul: vector(230),
	f32x4ConvertI32x4: vector(250),
} as const;

function section(id: number, content: Bytes): Bytes {
	return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Bytes[]): Bytes {
	return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): Bytes {
	const bytes = [...new TextEncoder().encode(value)];
	return [...unsigned(bytes.length), ...bytes];
}

/** LEB128, unsigned. */
function unsigned(value: number): Bytes {
	const bytes: number[] = [];
	let rest = value;
	do {
		const low = rest & 0x7f;
		rest >>>= 7;
		bytes.push(rest === 0 ? low : low | 0x80);
	} while (rest !== 0);
	return bytes;
}

/** LEB128, signed. */
function signed(value: number): Bytes {
	const bytes: number[] = [];
	let rest = value;
	for (;;) {
		const low = rest & 0x7f;
		rest >>= 7;
		const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
		bytes.push(isLast ? low : low | 0x80);
		if (isLast) return bytes;
	}
}
