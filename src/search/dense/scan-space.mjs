// The memory a scan works in: where queries and findings lie, and the passes over rows; see scan-space.d.mts.
import { createScalarKernel } from "./scalar-kernel.mjs";

/** Rows between two looks at the floor: their scores stay in the first caches. */
export const BLOCK_ROWS = 2_048;
/** Queries a row is compared with at once. */
export const CROWD = 4;
const GROUP_ROWS = 4;
/** A row's number and its score, or its score with each of the crowd. */
const FOUND_BYTES = 4 + 4;
const CROWD_FOUND_BYTES = 4 + CROWD * 4;
const ALIGNMENT = 64;
const LINE_BYTES = 64;
/** A query is there once, so it may be finer than rows: twelve bits keep sums over 8,000 components within 32 bits. */
const QUERY_LARGEST = 2_047;

export function scratchBytes(dimensions) {
	return placesFrom(0, dimensions).end;
}

export function openKernel(module, dimensions, memory) {
	if (!module) return createScalarKernel(dimensions, memory);
	return new WebAssembly.Instance(module, { host: { memory } }).exports;
}

export function openSpace({ memory, dimensions, prefix, scratchAt, kernel, prefixKernel }) {
	const full = openKernel(kernel, dimensions, memory);
	const overPrefixes = () => ({
		kernel: openKernel(prefixKernel, prefix, memory),
		width: prefix,
		start: "prefixesAt",
		scales: "prefixScalesAt",
	});
	return {
		memory,
		dimensions,
		...placesFrom(scratchAt, dimensions),
		closest: full.closest,
		closestFine: full.closestFine,
		overRows: { kernel: full, width: dimensions, start: "rowsAt", scales: "scalesAt" },
		overPrefixes: prefix > 0 ? overPrefixes() : undefined,
		touched: 0,
		...viewsOf(memory.buffer),
	};
}

export function load(space, query) {
	// A memory that has grown has a new buffer.
	if (space.memory.buffer !== space.buffer) Object.assign(space, viewsOf(space.memory.buffer));
	space.floats.set(query, space.queryAt / 4);
}

export function quantizeQuery({ words, wordsAt }, { query, width, seat }) {
	let largest = 0;
	for (let index = 0; index < width; index++) largest = Math.max(largest, Math.abs(query[index]));
	const factor = largest > 0 ? QUERY_LARGEST / largest : 0;
	const at = wordsAt / 2 + seat * width;
	for (let index = 0; index < width; index++) {
		words[at + index] = Math.round(query[index] * factor);
	}
}

export function scanBlock(space, region, { pass, row, count }, [only]) {
	const { wordsAt, foundAt } = space;
	const { kernel, width, start, scales } = pass;
	const wordsOf = wordsAt + only.seat * width * 2;
	const rowsAt = region[start] + row * width;
	const scalesAt = region[scales] + row * 4;
	const groups = Math.ceil(count / GROUP_ROWS);
	const { floor } = only.candidates;
	// Addresses are unsigned; WebAssembly hands integers over as signed ones.
	const end = kernel.scan(wordsOf, rowsAt, scalesAt, foundAt, row, groups, floor) >>> 0;
	return withoutPadding(space, { end, bytes: FOUND_BYTES, rows: row + count });
}

export function scanBlockOfCrowd(space, region, { pass, row, count }, crowd) {
	const { floats, wordsAt, foundAt, floorsAt } = space;
	const { kernel, width, start, scales } = pass;
	// An empty seat's query is whatever lies there.
	for (let seat = 0; seat < CROWD; seat++) {
		floats[floorsAt / 4 + seat] = crowd[seat]?.candidates.floor ?? Number.POSITIVE_INFINITY;
	}
	const rowsAt = region[start] + row * width;
	const scalesAt = region[scales] + row * 4;
	const pairs = Math.ceil(count / 2);
	const end = kernel.scanFour(wordsAt, rowsAt, scalesAt, foundAt, row, pairs, floorsAt) >>> 0;
	return withoutPadding(space, { end, bytes: CROWD_FOUND_BYTES, rows: row + count });
}

/** Rows that only fill up the last group come last; they score zero, which a floor may be below. */
function withoutPadding({ integers, foundAt }, { end, bytes, rows }) {
	let last = end;
	while (last > foundAt && integers[(last - bytes) / 4] >= rows) last -= bytes;
	return last;
}

export function touchRow(space, { rowsAt, scalesAt }, row) {
	const { integers, dimensions } = space;
	space.touched ^= integers[scalesAt / 4 + row];
	touchLines(space, rowsAt + row * dimensions, dimensions);
}

export function touchFines(space, { finesAt }, row) {
	const bytes = space.dimensions / 2;
	if (finesAt > 0) touchLines(space, finesAt + row * bytes, bytes);
}

function touchLines(space, at, bytes) {
	const { integers } = space;
	let touched = 0;
	for (let line = at; line < at + bytes; line += LINE_BYTES) touched ^= integers[line >>> 2];
	// Kept, so that no compiler leaves the reading out.
	space.touched ^= touched;
}

function placesFrom(queryAt, dimensions) {
	const wordsAt = queryAt + align(dimensions * 4);
	const floorsAt = wordsAt + align(CROWD * dimensions * 2);
	const foundAt = floorsAt + align(CROWD * 4);
	return { queryAt, wordsAt, floorsAt, foundAt, end: foundAt + BLOCK_ROWS * CROWD_FOUND_BYTES };
}

function viewsOf(buffer) {
	return {
		buffer,
		floats: new Float32Array(buffer),
		words: new Int16Array(buffer),
		integers: new Uint32Array(buffer),
	};
}

function align(offset) {
	return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
