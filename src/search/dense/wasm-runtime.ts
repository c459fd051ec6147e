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
