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

const HEADER: Bytes = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;
const SHARED_MEMORY = [0x02, 0x03] as const;

/**
 * Assembles functions over a shared memory of so many pages at most, which is imported as `memory` of `host`; the layout follows
 * the core specification, "Binary Format", and its threads proposal.
 */
export function assembleModule(
	functions: readonly FunctionSource[],
	pagesMax: number,
): Uint8Array<ArrayBuffer> {
	const types = functions.map(({ parameters, result }) => [
		0x60,
		...list(parameters.map((name) => [VALUE_TYPE[name]])),
		...list([[VALUE_TYPE[result]]]),
	]);
	const imported = [
		...text("host"),
		...text("memory"),
		...SHARED_MEMORY,
		...unsigned(1),
		...unsigned(pagesMax),
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
	const body = [...list(groups), ...code, END];
	return [...unsigned(body.length), ...body];
}

/** An instruction after its operands, each of which leaves one value. */
const instruction =
	(...code: number[]) =>
	(...operands: readonly Bytes[]): Bytes => [...operands.flat(), ...code];

export const OP = {
	i32Eqz: instruction(0x45),
	i32Add: instruction(0x6a),
	i32And: instruction(0x71),
	i32Shl: instruction(0x74),
	i32ShrU: instruction(0x76),
	f32Add: instruction(0x92),
	f32Mul: instruction(0x94),
	f32Max: instruction(0x97),
} as const;

const END = 0x0b;
export const block = (code: Bytes): Bytes => [0x02, 0x40, ...code, END];
export const loop = (code: Bytes): Bytes => [0x03, 0x40, ...code, END];
export const when = (condition: Bytes, code: Bytes) => [...condition, 0x04, 0x40, ...code, END];
export const branch = (depth: number): Bytes => [0x0c, ...unsigned(depth)];
export const branchIf = (condition: Bytes, depth: number) => [
	...condition,
	0x0d,
	...unsigned(depth),
];
export const localGet = (index: number): Bytes => [0x20, ...unsigned(index)];
export const localSet = (index: number, value: Bytes) => [...value, 0x21, ...unsigned(index)];
export const i32Const = (value: number): Bytes => [0x41, ...signed(value)];
export const f32Const = (value: number): Bytes => [
	0x43,
	...new Uint8Array(Float32Array.of(value).buffer),
];
const access = (...code: number[]) => {
	return (address: Bytes, offset: number): Bytes => [...address, ...code, ...unsigned(offset)];
};
const storing = (...code: number[]) => {
	return (address: Bytes, value: Bytes, offset: number): Bytes => [
		...address,
		...value,
		...code,
		...unsigned(offset),
	];
};
export const f32Load = access(0x2a, 0x02);
export const i32Store = storing(0x36, 0x02);
export const f32Store = storing(0x38, 0x02);

const vector = (code: number) => [0xfd, ...unsigned(code)];
const simd = (code: number) => instruction(...vector(code));
const simdLoad = (code: number) => access(...vector(code), 0x00);

/** Vector instructions, prefix 0xfd. */
export const SIMD = {
	load: simdLoad(0),
	/** Eight bytes, widened to words with their sign. */
	load8x8: simdLoad(1),
	/** Four bytes, in every lane. */
	load32Splat: simdLoad(9),
	store: storing(...vector(11), 0x00),
	zero: [...vector(12), ...new Array<number>(16).fill(0)],
	/** Four lanes of 32 bits out of two vectors: 0–3 are the first one's. */
	shuffle32: (one: Bytes, other: Bytes, lanes: readonly number[]): Bytes => [
		...one,
		...other,
		...vector(13),
		...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte)),
	],
	i16x8Splat: simd(16),
	f32x4Splat: simd(19),
	f32x4Extract: (value: Bytes, lane: number): Bytes => [...value, ...vector(31), lane],
	f32x4Gt: simd(68),
	anyTrue: simd(83),
	i16x8Shl: simd(139),
	i16x8ShrS: simd(140),
	i16x8Add: simd(142),
	i16x8Mul: simd(149),
	i32x4Bitmask: simd(164),
	i32x4ExtendLow: simd(167),
	i32x4ExtendHigh: simd(168),
	i32x4Add: simd(174),
	i32x4Dot: simd(186),
	f32x4Add: simd(228),
	f32x4Mul: simd(230),
	f32x4ConvertI32x4: simd(250),
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
