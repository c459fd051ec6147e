// Compares queries with the passages of many regions. Plain JavaScript, because the worker thread and the service's own
// thread both run it; types and what each part guarantees are in vector-scan.d.mts.
import { ScanCandidates } from "./scan-candidates.mjs";
import {
	BLOCK_ROWS,
	CROWD,
	load,
	openSpace,
	quantizeQuery,
	scanBlock,
	scanBlockOfCrowd,
	touchFines,
	touchRow,
} from "./scan-space.mjs";

/** Fewer queries are compared one by one: a pass for four takes as long as two and a half alone. */
const CROWD_MIN = 3;
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
	const seats = Array.from({ length: CROWD }, (_, seat) => ({
		seat,
		query: undefined,
		candidates: new ScanCandidates(),
	}));
	const searchAll = (queries, scopes, count) => {
		const plan = planScan(space, scopes, count);
		const hits = [];
		while (hits.length < queries.length) {
			const left = queries.length - hits.length;
			const crowd = seats.slice(0, left < CROWD_MIN ? 1 : Math.min(left, CROWD));
			for (const [index, seat] of crowd.entries()) seat.query = queries[hits.length + index];
			gather(space, crowd, plan);
			for (const seat of crowd) hits.push(settle(space, seat, plan));
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
function gather(space, crowd, plan) {
	const { allowed, wanted, pass } = plan;
	if (plan.takesAll) {
		for (const { candidates } of crowd) offerAll(candidates, plan);
		return;
	}
	for (const { query, seat } of crowd) {
		load(space, query);
		quantizeQuery(space, { query, width: pass.width, seat });
	}
	const samples = allowed >= 4 * wanted;
	if (samples) sample(space, crowd, plan);
	// Zero is no floor: rounding may put a row on the other side of it.
	for (const { candidates } of crowd)
		candidates.reset(wanted, samples ? candidates.cutFloor() : undefined);
	const floors = crowd.map(({ candidates }) => candidates.floor);
	scanAll(space, crowd, plan);
	for (const [index, seat] of crowd.entries()) {
		if (!Number.isFinite(floors[index]) || seat.candidates.size >= wanted / 2) continue;
		seat.candidates.reset(wanted);
		scanAll(space, [seat], plan);
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
function sample(space, crowd, plan) {
	const wanted = Math.ceil((1.5 * plan.wanted) / SAMPLED);
	for (const { candidates } of crowd) candidates.reset(wanted);
	scanAll(space, crowd, { ...plan, size: SAMPLE_ROWS, stride: SAMPLE_ROWS * SAMPLED });
}

/** Offers each query what is above its floor in `size` of every `stride` rows. */
function scanAll(space, crowd, { scopes, pass, size = BLOCK_ROWS, stride = BLOCK_ROWS }) {
	const isAlone = crowd.length === 1;
	const scan = isAlone ? scanBlock : scanBlockOfCrowd;
	const offer = isAlone ? offerFound : offerFoundToAll;
	for (let index = 0; index < scopes.length; index++) {
		const scope = scopes[index];
		const { rows } = scope.region;
		for (let row = 0; row < rows; row += stride) {
			const block = { pass, row, count: Math.min(size, rows - row) };
			const end = scan(space, scope.region, block, crowd);
			if (end > space.foundAt) offer(space, crowd, { scope, index, end });
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

function offerFoundToAll(space, crowd, { scope, index, end }) {
	const { integers, foundAt } = space;
	const { region, base, mask } = scope;
	const owners = region.ownersAt / 4;
	for (let at = foundAt / 4; at < end / 4; at += 1 + CROWD) {
		const row = integers[at];
		const document = integers[owners + row];
		if (mask !== undefined && mask[document] !== 1) continue;
		offerToAll(space, crowd, { scores: at + 1, slot: base + document, index, row });
	}
}

/** Scores lie in the order of seats, as the floors do that the block was scanned with. */
function offerToAll({ floats, floorsAt }, crowd, { scores, slot, index, row }) {
	for (let seat = 0; seat < crowd.length; seat++) {
		const score = floats[scores + seat];
		if (score > floats[floorsAt / 4 + seat]) crowd[seat].candidates.offer(slot, score, index, row);
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
