/** The part of JavaScript's WebAssembly interface we use; the compiler's library for servers does not describe it. */
export interface WasmMemory {
	readonly buffer: ArrayBuffer;
}

export interface WasmModule {
	readonly _module?: never;
}

interface WasmRuntime {
	readonly Memory: new (size: { readonly initial: number }) => WasmMemory;
	readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
	readonly Instance: new (
		module: WasmModule,
		imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
	) => { readonly exports: Readonly<Record<string, unknown>> };
	/** False for bytes this machine cannot run, such as vector instructions without SIMD. */
	validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

export const wasm = (globalThis as unknown as { readonly WebAssembly: WasmRuntime }).WebAssembly;
