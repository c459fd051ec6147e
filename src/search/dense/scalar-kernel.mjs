// The kernel in plain JavaScript: what the WebAssembly one is tested against, and the way out on a machine without SIMD.

const GROUP_ROWS = 4;
const PAIR_ROWS = 2;
const QUERIES = 4;
export const FINE_STEPS = 14;
export const FINE_LANES = 16;

export function fineAt(fines, from, index) {
	const lane = index % FINE_LANES;
	const half = FINE_LANES / 2;
	const pair = fines[from + (index - lane) / 2 + (lane % half)];
	// Up to the sign bit, and back with the sign.
	return (lane < half ? pair << 28 : pair << 24) >> 28;
}

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
			const { bytes, words, integers, floats } = viewsOf(memory);
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
		scanFour(queries, rows, scales, out, first, pairs, floors) {
			const { bytes, words, integers, floats } = viewsOf(memory);
			let end = out;
			for (let row = 0; row < pairs * PAIR_ROWS; row++) {
				let isBetter = false;
				for (let query = 0; query < QUERIES; query++) {
					const queryAt = queries / 2 + query * dimensions;
					const sum = Math.fround(dot(words, queryAt, bytes, rows + row * dimensions));
					const score = Math.fround(sum * floats[scales / 4 + row]);
					floats[end / 4 + 1 + query] = score;
					if (score > floats[floors / 4 + query]) isBetter = true;
				}
				integers[end / 4] = first + row;
				if (isBetter) end += 20;
			}
			return end;
		},
		closest(query, rows, scales, count) {
			const { bytes, floats } = viewsOf(memory);
			let best = Number.NEGATIVE_INFINITY;
			for (let row = 0; row < count; row++) {
				const sum = dot(floats, query / 4, bytes, rows + row * dimensions);
				best = Math.max(best, Math.fround(sum * floats[scales / 4 + row]));
			}
			return best;
		},
		closestFine(query, rows, fines, scales, count) {
			const { bytes, floats } = viewsOf(memory);
			let best = Number.NEGATIVE_INFINITY;
			for (let row = 0; row < count; row++) {
				const [from, finesFrom] = [rows + row * dimensions, fines + (row * dimensions) / 2];
				let sum = 0;
				for (let index = 0; index < dimensions; index++) {
					const component = FINE_STEPS * bytes[from + index] + fineAt(bytes, finesFrom, index);
					sum += floats[query / 4 + index] * component;
				}
				best = Math.max(best, Math.fround((sum / FINE_STEPS) * floats[scales / 4 + row]));
			}
			return best;
		},
	};
}

function viewsOf({ buffer }) {
	return {
		bytes: new Int8Array(buffer),
		words: new Int16Array(buffer),
		integers: new Int32Array(buffer),
		floats: new Float32Array(buffer),
	};
}
