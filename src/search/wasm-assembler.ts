/** Bytes of a WebAssembly module, written in TypeScript so that no binary has to be trusted or kept in git. */
export type Bytes = readonly number[];

const VALUE_TYPE = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;
type ValueType = keyof typeof VALUE_TYPE;

/** A memory import and one exported function without results: all that our kernels need. */
export interface ModuleSource {
	readonly memory: { readonly module: string; readonly name: string };
	readonly name: string;
	readonly parameters: readonly ValueType[];
	/** Local variables after the parameters, by type, numbered in this order. */
	readonly locals: readonly { readonly count: number; readonly type: ValueType }[];
	/** Instructions of the body, without the final `end`. */
	readonly code: Bytes;
}

const HEADER: Bytes = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;

/** Assembles the module; the layout follows the core specification, "Binary Format". */
export function assembleModule(source: ModuleSource): Uint8Array<ArrayBuffer> {
	const type = [0x60, ...list(source.parameters.map((name) => [VALUE_TYPE[name]])), 0x00];
	const memory = [...text(source.memory.module), ...text(source.memory.name), 0x02, 0x00, 0x01];
	const exported = [...text(source.name), 0x00, 0x00];
	const locals = list(
		source.locals.map(({ count, type }) => [...unsigned(count), VALUE_TYPE[type]]),
	);
	const body = [...locals, ...source.code, OP.end];
	return new Uint8Array([
		...HEADER,
		...section(SECTION.type, list([type])),
		...section(SECTION.import, list([memory])),
		...section(SECTION.function, list([[0x00]])),
		...section(SECTION.export, list([exported])),
		...section(SECTION.code, list([[...unsigned(body.length), ...body]])),
	]);
}

/** Instructions without immediates. */
export const OP = {
	end: 0x0b,
	i32Eqz: 0x45,
	i32Add: 0x6a,
	f32ConvertI32: 0xb2,
	f32Mul: 0x94,
} as const;

export const block = (code: Bytes): Bytes => [0x02, 0x40, ...code, OP.end];
export const loop = (code: Bytes): Bytes => [0x03, 0x40, ...code, OP.end];
export const branch = (depth: number): Bytes => [0x0c, ...unsigned(depth)];
export const branchIf = (depth: number): Bytes => [0x0d, ...unsigned(depth)];
export const localGet = (index: number): Bytes => [0x20, ...unsigned(index)];
export const localSet = (index: number): Bytes => [0x21, ...unsigned(index)];
export const i32Const = (value: number): Bytes => [0x41, ...signed(value)];
export const f32Load = (offset: number): Bytes => [0x2a, 0x02, ...unsigned(offset)];
export const f32Store = (offset: number): Bytes => [0x38, 0x02, ...unsigned(offset)];

/** Vector instructions, prefix 0xfd. */
export const v128Load = (offset: number): Bytes => [
	0xfd,
	...unsigned(0),
	0x04,
	...unsigned(offset),
];
export const v128Zero: Bytes = [0xfd, ...unsigned(12), ...new Array<number>(16).fill(0)];
export const i32x4ExtractLane = (lane: number): Bytes => [0xfd, ...unsigned(27), lane];
export const SIMD = {
	i16x8ExtendLow: [0xfd, ...unsigned(135)],
	i16x8ExtendHigh: [0xfd, ...unsigned(136)],
	i32x4Dot: [0xfd, ...unsigned(186)],
	i32x4Add: [0xfd, ...unsigned(174)],
} as const satisfies Record<string, Bytes>;

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
