// Compares a query with the passages of many regions. Plain JavaScript, because the worker thread and the service's own
// thread both run it; types and what each part guarantees are in vector-scan.d.mts.
import { createScalarKernel } from "./scalar-kernel.mjs";

/** Rows between two looks at the floor: their scores stay in the first cache. */
const BLOCK_ROWS = 2_048;
const GROUP_ROWS = 4;
/** One of so many rows is looked at for a first floor, in runs of so many. */
const SAMPLED = 16;
const SAMPLE_ROWS = 64;
const FOUND_BYTES = 8;
const ALIGNMENT = 64;
/** Rows from which on the prefixes are compared first: below, they save less than they cost. */
const PREFIX_ROWS_MIN = 4_096;
/** A query is there once, so it may be finer than rows: twelve bits keep sums over 8,000 components within 32 bits. */
const QUERY_LARGEST = 2_047;

export function scratchBytes(dimensions) {
	return align(dimensions * 4) + align(dimensions * 2) + BLOCK_ROWS * FOUND_BYTES + ALIGNMENT;
}

export function openKernel(module, dimensions, memory) {
	if (!module) return createScalarKernel(dimensions, memory);
	return new WebAssembly.Instance(module, { host: { memory } }).exports;
}

export function createVectorScan(setup) {
	const { memory, dimensions, prefix, scratchAt } = setup;
	const full = openKernel(setup.kernel, dimensions, memory);
	const first = prefix > 0 ? openKernel(setup.prefixKernel, prefix, memory) : undefined;
	const wordsAt = scratchAt + align(dimensions * 4);
	const foundAt = wordsAt + align(dimensions * 2);
	const candidates = createCandidates();
	let buffer;
	let floats;
	let words;
	let integers;

	/** A memory that has grown has a new buffer. */
	const look = () => {
		if (memory.buffer === buffer) return;
		buffer = memory.buffer;
		floats = new Float32Array(buffer);
		words = new Int16Array(buffer);
		integers = new Uint32Array(buffer);
	};
	const closestOf = ({ rowsAt, scalesAt, startsAt }, document) => {
		const from = integers[startsAt / 4 + document];
		const count = integers[startsAt / 4 + document + 1] - from;
		if (count === 0) return 0;
		return full.closest(scratchAt, rowsAt + from * dimensions, scalesAt + from * 4, count);
	};
	const offerAll = ({ region, base, mask }, index) => {
		const next = (document) => (mask ? mask.indexOf(1, document) : document);
		for (let at = next(0); at >= 0 && at < region.documents; at = next(at + 1)) {
			candidates.offer(base + at, 0, index, 0);
		}
	};
	/** Offers what is above the floor in `size` of every `stride` rows. */
	const scanScope = ({ region, base, mask }, index, { kernel, width, start, size, stride }) => {
		const owners = region.ownersAt / 4;
		for (let row = 0; row < region.rows; row += stride) {
			const groups = Math.ceil(Math.min(size, region.rows - row) / GROUP_ROWS);
			const rowsAt = region[start] + row * width;
			const scalesAt = region.scalesAt + row * 4;
			const floor = candidates.floor();
			const end = kernel.scan(wordsAt, rowsAt, scalesAt, foundAt, row, groups, floor);
			// Addresses are unsigned; WebAssembly hands integers over as signed ones.
			for (let at = foundAt / 4; at < (end >>> 0) / 4; at += 2) {
				const document = integers[owners + integers[at]];
				if (mask !== undefined && mask[document] !== 1) continue;
				candidates.offer(base + document, floats[at + 1], index, integers[at]);
			}
		}
	};
	const scanAll = (scopes, pass) => {
		for (let index = 0; index < scopes.length; index++) scanScope(scopes[index], index, pass);
	};
	/** A floor that about one and a half times as many rows exceed as are wanted; what a sample cannot tell costs time, not hits. */
	const sampleFloor = (scopes, wanted, pass) => {
		candidates.reset(Math.ceil((1.5 * wanted) / SAMPLED), 0);
		scanAll(scopes, { ...pass, size: SAMPLE_ROWS, stride: SAMPLE_ROWS * SAMPLED });
		return candidates.cutFloor();
	};
	const gather = (query, scopes, count) => {
		let allowed = 0;
		let rows = 0;
		for (const scope of scopes) {
			allowed += scope.allowed;
			rows += scope.region.rows;
		}
		const usesPrefix = first !== undefined && rows >= PREFIX_ROWS_MIN;
		const wanted = usesPrefix ? prefixCandidates(count, rows) : 2 * count;
		if (allowed <= wanted) {
			candidates.reset(allowed, 0);
			scopes.forEach(offerAll);
			return;
		}
		const pass = usesPrefix
			? { kernel: first, width: prefix, start: "prefixesAt", size: BLOCK_ROWS, stride: BLOCK_ROWS }
			: { kernel: full, width: dimensions, start: "rowsAt", size: BLOCK_ROWS, stride: BLOCK_ROWS };
		quantiseQuery(query, words, wordsAt / 2, pass.width);
		const floor = allowed >= 4 * wanted ? sampleFloor(scopes, wanted, pass) : 0;
		candidates.reset(wanted, floor);
		scanAll(scopes, pass);
		if (floor > 0 && candidates.size() < wanted / 2) {
			candidates.reset(wanted, 0);
			scanAll(scopes, pass);
		}
		candidates.cutFloor();
		if (!usesPrefix) return;
		candidates.rescore((_, index, row) => {
			const { rowsAt, scalesAt } = scopes[index].region;
			return full.closest(scratchAt, rowsAt + row * dimensions, scalesAt + row * 4, 1);
		});
		candidates.keep(2 * count);
	};
	return {
		search(query, scopes, count) {
			look();
			floats.set(query, scratchAt / 4);
			gather(query, scopes, count);
			candidates.rescore((slot, index) => {
				const { region, base } = scopes[index];
				return closestOf(region, slot - base);
			});
			return candidates.take(count);
		},
		closest(query, region, document) {
			look();
			floats.set(query, scratchAt / 4);
			return closestOf(region, document);
		},
	};
}

/** So many by their first components that ten of the ten closest are among them 99 times in a hundred; measured, see docs/adr/0023. */
function prefixCandidates(count, rows) {
	return Math.max(8 * count, Math.ceil(count * Math.sqrt(rows / 1_000)));
}

/** The candidates of one search: a buffer that is cut back to the `wanted` best whenever it is full. */
function createCandidates() {
	let wanted = 0;
	let size = 0;
	let floor = 0;
	let scores = new Float32Array(0);
	/** Three words each: slot, scope, row. */
	let places = new Uint32Array(0);

	const isBetter = (score, slot, other) =>
		score > scores[other] || (score === scores[other] && slot < places[3 * other]);
	const isWorse = (score, slot, other) =>
		score < scores[other] || (score === scores[other] && slot > places[3 * other]);
	const swap = (one, other) => {
		const score = scores[one];
		scores[one] = scores[other];
		scores[other] = score;
		for (let word = 0; word < 3; word++) {
			const place = places[3 * one + word];
			places[3 * one + word] = places[3 * other + word];
			places[3 * other + word] = place;
		}
	};
	/** Hoare's selection: afterwards the `count` best come first, in any order. */
	const keep = (count) => {
		let left = 0;
		let right = size - 1;
		while (size > count && left < right) {
			const middle = (left + right) >>> 1;
			const score = scores[middle];
			const slot = places[3 * middle];
			let low = left;
			let high = right;
			while (low <= high) {
				while (isWorse(score, slot, low)) low++;
				while (isBetter(score, slot, high)) high--;
				if (low <= high) swap(low++, high--);
			}
			if (count - 1 <= high) right = high;
			else if (count - 1 >= low) left = low;
			else break;
		}
		size = Math.min(size, count);
	};
	/** Keeps the best; from now on only what is above the weakest of them is looked at. */
	const cutFloor = () => {
		if (size < wanted) return floor;
		keep(wanted);
		let weakest = Number.POSITIVE_INFINITY;
		for (let at = 0; at < size; at++) if (scores[at] < weakest) weakest = scores[at];
		floor = weakest;
		return floor;
	};
	return {
		size: () => size,
		floor: () => floor,
		keep,
		cutFloor,
		reset(count, from) {
			wanted = count;
			size = 0;
			floor = from;
			if (scores.length >= 2 * count) return;
			scores = new Float32Array(2 * count);
			places = new Uint32Array(3 * scores.length);
		},
		/** Rows of one document come one after the other: the best of them counts. */
		offer(slot, score, scope, row) {
			if (size > 0 && places[3 * size - 3] === slot) {
				if (score <= scores[size - 1]) return;
				scores[size - 1] = score;
				places[3 * size - 1] = row;
				return;
			}
			if (size === 2 * wanted && score <= cutFloor()) return;
			scores[size] = score;
			places[3 * size] = slot;
			places[3 * size + 1] = scope;
			places[3 * size + 2] = row;
			size++;
		},
		rescore(scoreOf) {
			for (let at = 0; at < size; at++) {
				scores[at] = scoreOf(places[3 * at], places[3 * at + 1], places[3 * at + 2]);
			}
		},
		take(count) {
			keep(count);
			const order = Array.from({ length: size }, (_, at) => at)
				.filter((at) => scores[at] > 0)
				.sort((a, b) => (isBetter(scores[a], places[3 * a], b) ? -1 : 1));
			return {
				slots: order.map((at) => places[3 * at]),
				cosines: Float32Array.from(order, (at) => scores[at]),
			};
		},
	};
}

function quantiseQuery(query, words, offset, width) {
	let largest = 0;
	for (let index = 0; index < width; index++) {
		const size = Math.abs(query[index]);
		if (size > largest) largest = size;
	}
	const factor = largest > 0 ? QUERY_LARGEST / largest : 0;
	for (let index = 0; index < width; index++) {
		words[offset + index] = Math.round(query[index] * factor);
	}
}

function align(offset) {
	return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
