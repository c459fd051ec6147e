import { ServiceError } from "../../kernel/kernel.js";
import { MEMORY_PAGES_MAX } from "./vector-kernel.js";
import { type WasmMemory, wasm } from "./wasm-runtime.js";

/** One growing memory that every thread sees, cut into pieces. */
export interface VectorArena {
	readonly memory: WasmMemory;
	/**
	 * Byte offset of a free piece of at least this many bytes, a multiple of 64. What was in it before is still there.
	 * Throws UNAVAILABLE when the memory cannot grow any more.
	 */
	allocate(bytes: number): number;
	/** Gives back what `allocate` returned, with the same number of bytes. */
	free(address: number, bytes: number): void;
	/** Bytes that are handed out. */
	used(): number;
}

interface Gap {
	readonly address: number;
	readonly bytes: number;
}

const PAGE_BYTES = 65_536;
const ALIGNMENT = 64;
/** Zero is no address, so that it can stand for "none". */
const FIRST_ADDRESS = ALIGNMENT;

/** Address space is reserved, memory is taken as it is needed and reused, but never given back to the system. */
export function createVectorArena(pagesMax = MEMORY_PAGES_MAX): VectorArena {
	const memory = reserve(pagesMax);
	/** Free pieces by address; neighbors are always joined. */
	let gaps: readonly Gap[] = [];
	let end = FIRST_ADDRESS;
	let used = 0;

	const grow = (bytes: number): number => {
		const last = gaps.at(-1);
		const isAtEnd = last !== undefined && last.address + last.bytes === end;
		const address = isAtEnd ? last.address : end;
		const missing = address + bytes - memory.buffer.byteLength;
		if (missing > 0) growBy(memory, Math.ceil(missing / PAGE_BYTES));
		if (isAtEnd) gaps = gaps.slice(0, -1);
		end = address + bytes;
		return address;
	};
	return {
		memory,
		allocate(wanted) {
			const bytes = align(wanted);
			const at = gaps.findIndex((gap) => gap.bytes >= bytes);
			const gap = gaps[at];
			const address = gap?.address ?? grow(bytes);
			if (gap) {
				const rest = { address: address + bytes, bytes: gap.bytes - bytes };
				gaps = gaps.toSpliced(at, 1, ...(rest.bytes > 0 ? [rest] : []));
			}
			used += bytes;
			return address;
		},
		free(address, wanted) {
			used -= align(wanted);
			gaps = join([...gaps, { address, bytes: align(wanted) }]);
		},
		used: () => used,
	};
}

/** Where a process may not reserve that much, a smaller memory is better than none. */
function reserve(pagesMax: number): WasmMemory {
	for (let maximum = pagesMax; ; maximum = Math.ceil(maximum / 4)) {
		try {
			return new wasm.Memory({ initial: 1, maximum, shared: true });
		} catch (error) {
			if (maximum === 1) throw error;
		}
	}
}

function growBy(memory: WasmMemory, pages: number): void {
	try {
		memory.grow(pages);
	} catch (cause) {
		const megabytes = Math.round(memory.buffer.byteLength / 1_048_576);
		throw new ServiceError(
			"UNAVAILABLE",
			`The memory for vectors is full at ${megabytes} MB: serve fewer concepts from this process, or set the model to "none".`,
			{ cause },
		);
	}
}

function join(pieces: readonly Gap[]): readonly Gap[] {
	const joined: Gap[] = [];
	for (const gap of pieces.toSorted((a, b) => a.address - b.address)) {
		const before = joined.at(-1);
		if (before && before.address + before.bytes === gap.address) {
			joined[joined.length - 1] = { ...before, bytes: before.bytes + gap.bytes };
		} else {
			joined.push(gap);
		}
	}
	return joined;
}

function align(bytes: number): number {
	return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
