import { closestFineFunction, closestFunction } from "./kernel-closest.js";
import { LANES } from "./kernel-parts.js";
import { scanFunction } from "./kernel-scan.js";
import { scanFourFunction } from "./kernel-scan-four.js";
import { assembleModule } from "./wasm-assembler.js";
import { type WasmModule, wasm } from "./wasm-runtime.js";

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
