// Compares queries with the passages of many regions. Plain JavaScript, because the worker thread and the service's own
// thread both run it; types and what each part guarantees are in vector-scan.d.mts.

import { createScalarKernel } from "./scalar-kernel.mjs";
import { ScanCandidates } from "./scan-candidates.mjs";

/** Rows between two looks at the floor: their scores stay in the first caches. */
const BLOCK_ROWS = 2_048;
/** Queries a row is compared with at once. */
const PASS_QUERIES = 4;
const GROUP_ROWS = 4;
/** A row's number and its score, or its score with each query of a shared pass. */
const FOUND_BYTES = 4 + 4;
const SHARED_FOUND_BYTES = 4 + PASS_QUERIES * 4;
const ALIGNMENT = 64;
const LINE_BYTES = 64;
/** A query is there once, so it may be finer than rows: twelve bits keep sums over 8,000 components within 32 bits. */
const QUERY_LARGEST = 2_047;
/** Fewer queries are compared one by one: a pass for four takes as long as two and a half alone. */
const SHARED_PASS_MIN = 3;
/** One of so many rows is looked at for a first floor, in runs of so many. */
const SAMPLED = 16;
const SAMPLE_ROWS = 64;
/** Rows from which on the prefixes are compared first: below, they save less than they cost. */
const PREFIX_ROWS_MIN = 32_768;
/** Candidates per hit that is wanted: enough that the ten closest are among them 99 times in a hundred (docs/adr/0027). */
const PREFIX_CANDIDATES = 4;
/** One more for each so many rows: where there is much, more lies close together. */
const PREFIX_CANDIDATE_ROWS = 20_000;
/** Candidates by whole rows per hit: rounding moves a row by far fewer places. */
const ROW_CANDIDATES = 2;

export function createVectorScan(setup) {
	const space = openSpace(setup);
	const members = Array.from({ length: PASS_QUERIES }, (_, number) => ({
		number,
		query: undefined,
		candidates: new ScanCandidates(),
	}));
	const searchAll = (queries, scopes, count) => {
		const plan = planScan(space, scopes, count);
		const hits = [];
		while (hits.length < queries.length) {
			const left = queries.length - hits.length;
			const batch = members.slice(0, left < SHARED_PASS_MIN ? 1 : Math.min(left, PASS_QUERIES));
			for (const [index, member] of batch.entries()) member.query = queries[hits.length + index];
			gather(space, batch, plan);
			for (const member of batch) hits.push(settle(space, member, plan));
		}
		return hits;
	};
	return {
		search: (query, scopes, count) => searchAll([query], scopes, count)[0],
		searchAll,
		closest(query, region, document) {
			load(space, query);
			return closestOf(space, region, document);
		},
	};
}

/** What all queries for the same hits have in common. */
function planScan({ overRows, overPrefixes }, scopes, count) {
	let allowed = 0;
	let rows = 0;
	for (const scope of scopes) {
		allowed += scope.allowed;
		rows += scope.region.rows;
	}
	const usesPrefixes = overPrefixes !== undefined && rows >= PREFIX_ROWS_MIN;
	const prefixCandidates = PREFIX_CANDIDATES + Math.floor(rows / PREFIX_CANDIDATE_ROWS);
	const wanted = count * (usesPrefixes ? prefixCandidates : ROW_CANDIDATES);
	const pass = usesPrefixes ? overPrefixes : overRows;
	return { scopes, count, allowed, wanted, usesPrefixes, pass, takesAll: allowed <= wanted };
}

/** Leaves each query the documents among which its closest are. */
function gather(space, batch, plan) {
	const { allowed, wanted, pass } = plan;
	if (plan.takesAll) {
		for (const { candidates } of batch) offerAll(candidates, plan);
		return;
	}
	for (const { query, number } of batch) {
		load(space, query);
		quantizeQuery(space, { query, width: pass.width, number });
	}
	const samples = allowed >= 4 * wanted;
	if (samples) sample(space, batch, plan);
	// Zero is no floor: rounding may put a row on the other side of it.
	for (const { candidates } of batch)
		candidates.reset(wanted, samples ? candidates.cutFloor() : undefined);
	const floors = batch.map(({ candidates }) => candidates.floor);
	scanAll(space, batch, plan);
	for (const [index, member] of batch.entries()) {
		if (!Number.isFinite(floors[index]) || member.candidates.size >= wanted / 2) continue;
		member.candidates.reset(wanted);
		scanAll(space, [member], plan);
	}
}

/** Documents that take part, without a look at their vectors. */
function offerAll(candidates, { scopes, allowed }) {
	candidates.reset(allowed);
	for (const [index, { region, base, mask }] of scopes.entries()) {
		const next = (document) => (mask ? mask.indexOf(1, document) : document);
		for (let at = next(0); at >= 0 && at < region.documents; at = next(at + 1)) {
			candidates.offer(base + at, 0, index, 0);
		}
	}
}

/** Leaves floors that about one and a half times as many rows exceed as are wanted; where a sample misleads, it costs time, not hits. */
function sample(space, batch, plan) {
	const wanted = Math.ceil((1.5 * plan.wanted) / SAMPLED);
	for (const { candidates } of batch) candidates.reset(wanted);
	scanAll(space, batch, { ...plan, size: SAMPLE_ROWS, stride: SAMPLE_ROWS * SAMPLED });
}

/** Offers each query what is above its floor in `size` of every `stride` rows. */
function scanAll(space, batch, { scopes, pass, size = BLOCK_ROWS, stride = BLOCK_ROWS }) {
	const isAlone = batch.length === 1;
	const scan = isAlone ? scanBlock : scanSharedBlock;
	const offer = isAlone ? offerFound : offerFoundToAll;
	for (let index = 0; index < scopes.length; index++) {
		const scope = scopes[index];
		const { rows } = scope.region;
		for (let row = 0; row < rows; row += stride) {
			const block = { pass, row, count: Math.min(size, rows - row) };
			const end = scan(space, scope.region, block, batch);
			if (end > space.foundAt) offer(space, batch, { scope, index, end });
		}
	}
}

function offerFound({ integers, floats, foundAt }, [{ candidates }], { scope, index, end }) {
	const { region, base, mask } = scope;
	const owners = region.ownersAt / 4;
	for (let at = foundAt / 4; at < end / 4; at += 2) {
		const row = integers[at];
		const document = integers[owners + row];
		if (mask !== undefined && mask[document] !== 1) continue;
		candidates.offer(base + document, floats[at + 1], index, row);
	}
}

function offerFoundToAll(space, batch, { scope, index, end }) {
	const { integers, foundAt } = space;
	const { region, base, mask } = scope;
	const owners = region.ownersAt / 4;
	for (let at = foundAt / 4; at < end / 4; at += 1 + PASS_QUERIES) {
		const row = integers[at];
		const document = integers[owners + row];
		if (mask !== undefined && mask[document] !== 1) continue;
		offerToAll(space, batch, { scores: at + 1, slot: base + document, index, row });
	}
}

/** Scores lie in the order of the queries, as the floors do that the block was scanned with. */
function offerToAll({ floats, floorsAt }, batch, { scores, slot, index, row }) {
	for (let member = 0; member < batch.length; member++) {
		const score = floats[scores + member];
		if (score > floats[floorsAt / 4 + member])
			batch[member].candidates.offer(slot, score, index, row);
	}
}

/** Of the candidates, the closest as a whole. */
function settle(space, { query, candidates }, plan) {
	const { scopes, count, wanted } = plan;
	load(space, query);
	if (!plan.takesAll) candidates.keep(wanted);
	if (!plan.takesAll && plan.usesPrefixes) rescoreRows(space, candidates, plan);
	candidates.each((slot, index) => touchDocument(space, scopes[index], slot));
	candidates.rescore((slot, index) =>
		closestOf(space, scopes[index].region, slot - scopes[index].base),
	);
	return candidates.take(count);
}

/** Of the candidates by prefix, those whose best row is closest as a whole. */
function rescoreRows(space, candidates, { scopes, count }) {
	const { closest, queryAt, dimensions } = space;
	// Rows lie apart: when they are asked for all at once, memory delivers many at a time.
	candidates.each((_, index, row) => touchRow(space, scopes[index].region, row));
	candidates.rescore((_, index, row) => {
		const { rowsAt, scalesAt } = scopes[index].region;
		return closest(queryAt, rowsAt + row * dimensions, scalesAt + row * 4, 1);
	});
	candidates.keep(ROW_CANDIDATES * count);
}

function touchDocument(space, { region, base }, slot) {
	const starts = region.startsAt / 4 + slot - base;
	const end = space.integers[starts + 1];
	for (let row = space.integers[starts]; row < end; row++) {
		touchRow(space, region, row);
		touchFines(space, region, row);
	}
}

function closestOf({ closest, closestFine, integers, queryAt, dimensions }, region, document) {
	const { rowsAt, finesAt, scalesAt, startsAt } = region;
	const from = integers[startsAt / 4 + document];
	const count = integers[startsAt / 4 + document + 1] - from;
	if (count === 0) return 0;
	const [rows, scales] = [rowsAt + from * dimensions, scalesAt + from * 4];
	if (finesAt === 0) return closest(queryAt, rows, scales, count);
	return closestFine(queryAt, rows, finesAt + (from * dimensions) / 2, scales, count);
}

export function scratchBytes(dimensions) {
	return placesFrom(0, dimensions).end;
}

export function openKernel(module, dimensions, memory) {
	if (!module) return createScalarKernel(dimensions, memory);
	return new WebAssembly.Instance(module, { host: { memory } }).exports;
}

/** What a scan works with: passes over rows, byte offsets of its scratch, and views of the memory. */
function openSpace({ memory, dimensions, prefix, scratchAt, kernel, prefixKernel }) {
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

/** Makes the query the one at `queryAt`, and the views those of the memory as it is now. */
function load(space, query) {
	// A memory that has grown has a new buffer.
	if (space.memory.buffer !== space.buffer) Object.assign(space, viewsOf(space.memory.buffer));
	space.floats.set(query, space.queryAt / 4);
}

/** Puts the first `width` components, rounded to int16, where a pass of that width reads the query of this place. */
function quantizeQuery({ words, wordsAt }, { query, width, number }) {
	let largest = 0;
	for (let index = 0; index < width; index++) largest = Math.max(largest, Math.abs(query[index]));
	const factor = largest > 0 ? QUERY_LARGEST / largest : 0;
	const at = wordsAt / 2 + number * width;
	for (let index = 0; index < width; index++) {
		words[at + index] = Math.round(query[index] * factor);
	}
}

/** Finds the block's rows above the floor of the only query; returns where the findings end. */
function scanBlock(space, region, { pass, row, count }, [only]) {
	const { wordsAt, foundAt } = space;
	const { kernel, width, start, scales } = pass;
	const wordsOf = wordsAt + only.number * width * 2;
	const rowsAt = region[start] + row * width;
	const scalesAt = region[scales] + row * 4;
	const groups = Math.ceil(count / GROUP_ROWS);
	const { floor } = only.candidates;
	// Addresses are unsigned; WebAssembly hands integers over as signed ones.
	const end = kernel.scan(wordsOf, rowsAt, scalesAt, foundAt, row, groups, floor) >>> 0;
	return withoutPadding(space, { end, bytes: FOUND_BYTES, rows: row + count });
}

/** The same for several queries, each with its floor, which is left at `floorsAt`. */
function scanSharedBlock(space, region, { pass, row, count }, batch) {
	const { floats, wordsAt, foundAt, floorsAt } = space;
	const { kernel, width, start, scales } = pass;
	// An absent query is whatever lies there.
	for (let member = 0; member < PASS_QUERIES; member++) {
		floats[floorsAt / 4 + member] = batch[member]?.candidates.floor ?? Number.POSITIVE_INFINITY;
	}
	const rowsAt = region[start] + row * width;
	const scalesAt = region[scales] + row * 4;
	const pairs = Math.ceil(count / 2);
	const end = kernel.scanFour(wordsAt, rowsAt, scalesAt, foundAt, row, pairs, floorsAt) >>> 0;
	return withoutPadding(space, { end, bytes: SHARED_FOUND_BYTES, rows: row + count });
}

/** Rows that only fill up the last group come last; they score zero, which a floor may be below. */
function withoutPadding({ integers, foundAt }, { end, bytes, rows }) {
	let last = end;
	while (last > foundAt && integers[(last - bytes) / 4] >= rows) last -= bytes;
	return last;
}

/** Reads a word of each of the row's cache lines, so that they are cached when the row is compared. */
function touchRow(space, { rowsAt, scalesAt }, row) {
	const { integers, dimensions } = space;
	space.touched ^= integers[scalesAt / 4 + row];
	touchLines(space, rowsAt + row * dimensions, dimensions);
}

function touchFines(space, { finesAt }, row) {
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
	const floorsAt = wordsAt + align(PASS_QUERIES * dimensions * 2);
	const foundAt = floorsAt + align(PASS_QUERIES * 4);
	return { queryAt, wordsAt, floorsAt, foundAt, end: foundAt + BLOCK_ROWS * SHARED_FOUND_BYTES };
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
