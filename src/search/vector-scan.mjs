// Compares a query with the passages of many regions. Plain JavaScript, because the worker thread and the service's own
// thread both run it; types and what each part guarantees are in vector-scan.d.mts.
import { createScalarKernel } from "./scalar-kernel.mjs";
import { ScanCandidates } from "./scan-candidates.mjs";

/** Rows between two looks at the floor: their scores stay in the first cache. */
const BLOCK_ROWS = 2_048;
const GROUP_ROWS = 4;
/** One of so many rows is looked at for a first floor, in runs of so many. */
const SAMPLED = 16;
const SAMPLE_ROWS = 64;
const FOUND_BYTES = 8;
const ALIGNMENT = 64;
/** Rows from which on the prefixes are compared first: below, they save less than they cost. */
const PREFIX_ROWS_MIN = 32_768;
/** Candidates per hit that is wanted: enough that the ten closest are among them 99 times in a hundred (docs/adr/0023). */
const PREFIX_CANDIDATES = 8;
/** One more for each so many rows: where there is much, more lies close together. */
const PREFIX_CANDIDATE_ROWS = 100_000;
const ROW_CANDIDATES = 2;
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
	const space = openSpace(setup);
	const candidates = new ScanCandidates();
	return {
		search(query, scopes, count) {
			load(space, query);
			gather(space, candidates, { query, scopes, count });
			candidates.rescore((slot, index) => {
				const { region, base } = scopes[index];
				return closestOf(space, region, slot - base);
			});
			return candidates.take(count);
		},
		closest(query, region, document) {
			load(space, query);
			return closestOf(space, region, document);
		},
	};
}

/** What a scan works with: two passes over rows, where query and findings lie, and views of the memory. */
function openSpace({ memory, dimensions, prefix, scratchAt, kernel, prefixKernel }) {
	const wordsAt = scratchAt + align(dimensions * 4);
	const full = openKernel(kernel, dimensions, memory);
	return {
		memory,
		dimensions,
		queryAt: scratchAt,
		wordsAt,
		foundAt: wordsAt + align(dimensions * 2),
		closest: full.closest,
		overRows: { scan: full.scan, width: dimensions, start: "rowsAt" },
		overPrefixes:
			prefix > 0
				? {
						scan: openKernel(prefixKernel, prefix, memory).scan,
						width: prefix,
						start: "prefixesAt",
					}
				: undefined,
		...viewsOf(memory.buffer),
	};
}

function viewsOf(buffer) {
	return {
		buffer,
		floats: new Float32Array(buffer),
		words: new Int16Array(buffer),
		integers: new Uint32Array(buffer),
	};
}

function load(space, query) {
	// A memory that has grown has a new buffer.
	if (space.memory.buffer !== space.buffer) Object.assign(space, viewsOf(space.memory.buffer));
	space.floats.set(query, space.queryAt / 4);
}

function closestOf({ closest, integers, queryAt, dimensions }, region, document) {
	const { rowsAt, scalesAt, startsAt } = region;
	const from = integers[startsAt / 4 + document];
	const count = integers[startsAt / 4 + document + 1] - from;
	if (count === 0) return 0;
	return closest(queryAt, rowsAt + from * dimensions, scalesAt + from * 4, count);
}

/** Leaves the documents among which the closest are. */
function gather(space, candidates, { query, scopes, count }) {
	let allowed = 0;
	let rows = 0;
	for (const scope of scopes) {
		allowed += scope.allowed;
		rows += scope.region.rows;
	}
	const usesPrefixes = space.overPrefixes !== undefined && rows >= PREFIX_ROWS_MIN;
	const prefixCandidates = PREFIX_CANDIDATES + Math.floor(rows / PREFIX_CANDIDATE_ROWS);
	const wanted = count * (usesPrefixes ? prefixCandidates : ROW_CANDIDATES);
	if (allowed <= wanted) {
		candidates.reset(allowed, 0);
		for (let index = 0; index < scopes.length; index++) offerAll(candidates, scopes[index], index);
		return;
	}
	const pass = usesPrefixes ? space.overPrefixes : space.overRows;
	quantiseQuery(query, space, pass.width);
	const floor =
		allowed >= 4 * wanted ? sampleFloor(space, candidates, { pass, scopes, wanted }) : 0;
	candidates.reset(wanted, floor);
	scanAll(space, candidates, { pass, scopes });
	if (floor > 0 && candidates.size < wanted / 2) {
		candidates.reset(wanted, 0);
		scanAll(space, candidates, { pass, scopes });
	}
	candidates.keep(wanted);
	if (usesPrefixes) rescoreRows(space, candidates, { scopes, count });
}

/** Documents that take part, without a look at their vectors. */
function offerAll(candidates, { region, base, mask }, index) {
	const next = (document) => (mask ? mask.indexOf(1, document) : document);
	for (let at = next(0); at >= 0 && at < region.documents; at = next(at + 1)) {
		candidates.offer(base + at, 0, index, 0);
	}
}

/** A floor that about one and a half times as many rows exceed as are wanted; where a sample misleads, it costs time, not hits. */
function sampleFloor(space, candidates, { pass, scopes, wanted }) {
	candidates.reset(Math.ceil((1.5 * wanted) / SAMPLED), 0);
	scanAll(space, candidates, {
		pass,
		scopes,
		size: SAMPLE_ROWS,
		stride: SAMPLE_ROWS * SAMPLED,
	});
	return candidates.cutFloor();
}

/** Offers what is above the floor in `size` of every `stride` rows. */
function scanAll(space, candidates, { pass, scopes, size = BLOCK_ROWS, stride = BLOCK_ROWS }) {
	for (let index = 0; index < scopes.length; index++) {
		const { region } = scopes[index];
		for (let row = 0; row < region.rows; row += stride) {
			const end = scanBlock(space, region, {
				pass,
				row,
				groups: Math.ceil(Math.min(size, region.rows - row) / GROUP_ROWS),
				floor: candidates.floor,
			});
			if (end > space.foundAt) offerFound(space, candidates, { scope: scopes[index], index, end });
		}
	}
}

function scanBlock({ wordsAt, foundAt }, region, { pass, row, groups, floor }) {
	const { scan, width, start } = pass;
	const rowsAt = region[start] + row * width;
	const scalesAt = region.scalesAt + row * 4;
	// Addresses are unsigned; WebAssembly hands integers over as signed ones.
	return scan(wordsAt, rowsAt, scalesAt, foundAt, row, groups, floor) >>> 0;
}

function offerFound({ integers, floats, foundAt }, candidates, { scope, index, end }) {
	const { region, base, mask } = scope;
	const owners = region.ownersAt / 4;
	for (let at = foundAt / 4; at < end / 4; at += 2) {
		const row = integers[at];
		const document = integers[owners + row];
		if (mask !== undefined && mask[document] !== 1) continue;
		candidates.offer(base + document, floats[at + 1], index, row);
	}
}

/** Of the candidates by prefix, those whose best row is closest as a whole. */
function rescoreRows(space, candidates, { scopes, count }) {
	const { closest, queryAt, dimensions } = space;
	candidates.rescore((_, index, row) => {
		const { rowsAt, scalesAt } = scopes[index].region;
		return closest(queryAt, rowsAt + row * dimensions, scalesAt + row * 4, 1);
	});
	candidates.keep(ROW_CANDIDATES * count);
}

function quantiseQuery(query, { words, wordsAt }, width) {
	let largest = 0;
	for (let index = 0; index < width; index++) largest = Math.max(largest, Math.abs(query[index]));
	const factor = largest > 0 ? QUERY_LARGEST / largest : 0;
	for (let index = 0; index < width; index++) {
		words[wordsAt / 2 + index] = Math.round(query[index] * factor);
	}
}

function align(offset) {
	return Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
}
