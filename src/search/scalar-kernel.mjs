// The kernel in plain JavaScript: what the WebAssembly one is tested against, and the way out on a machine without SIMD.

const GROUP_ROWS = 4;

export function createScalarKernel(dimensions, memory) {
	const dot = (query, queryAt, bytes, rowAt) => {
		let sum = 0;
		for (let index = 0; index < dimensions; index++) {
			sum += query[queryAt + index] * bytes[rowAt + index];
		}
		return sum;
	};
	return {
		scan(query, rows, scales, out, first, groups, floor) {
			const bytes = new Int8Array(memory.buffer);
			const words = new Int16Array(memory.buffer);
			const integers = new Int32Array(memory.buffer);
			const floats = new Float32Array(memory.buffer);
			let end = out;
			for (let row = 0; row < groups * GROUP_ROWS; row++) {
				const sum = Math.fround(dot(words, query / 2, bytes, rows + row * dimensions));
				const score = Math.fround(sum * floats[scales / 4 + row]);
				if (score <= floor) continue;
				integers[end / 4] = first + row;
				floats[end / 4 + 1] = score;
				end += 8;
			}
			return end;
		},
		closest(query, rows, scales, count) {
			const bytes = new Int8Array(memory.buffer);
			const floats = new Float32Array(memory.buffer);
			let best = Number.NEGATIVE_INFINITY;
			for (let row = 0; row < count; row++) {
				const sum = dot(floats, query / 4, bytes, rows + row * dimensions);
				best = Math.max(best, Math.fround(sum * floats[scales / 4 + row]));
			}
			return best;
		},
	};
}
