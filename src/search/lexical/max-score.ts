import { type LexicalIndex, type LexicalScope, seekNear, seekPosting } from "./lexical-index.js";

type BestSlots = ReturnType<typeof createBestSlots>;

/** The best slots offered so far, kept in order: for a few dozen, moving the weaker ones down is cheaper than a heap. */
export function createBestSlots(capacity: number) {
	const slots: number[] = [];
	const scores: number[] = [];
	let size = 0;
	let floor = 0;
	const isBefore = (at: number, slot: number, score: number): boolean => {
		const other = scores[at] as number;
		return other > score || (other === score && (slots[at] as number) < slot);
	};
	return {
		/** The score that a slot must reach to be among the best; 0 while there is room. */
		floor: () => floor,
		/** Equal scores go by slot, the lower one first. Scores are above zero. */
		offer(slot: number, score: number): void {
			if (size === capacity && (score < floor || isBefore(size - 1, slot, score))) return;
			let at = size < capacity ? size++ : size - 1;
			for (; at > 0 && !isBefore(at - 1, slot, score); at--) {
				slots[at] = slots[at - 1] as number;
				scores[at] = scores[at - 1] as number;
			}
			slots[at] = slot;
			scores[at] = score;
			if (size === capacity) floor = scores[size - 1] as number;
		},
		/** Best first; nothing may be offered any more. */
		list: () => ({ slots, scores }),
	};
}

/** A term's postings in one index. */
export interface PostingList {
	/** The first posting that is not passed yet. */
	at: number;
	readonly start: number;
	readonly end: number;
	readonly factor: number;
	/** The most that this term and all after it can add to one document. */
	readonly rest: number;
}

/** Documents are gone through in windows whose scores stay in the processor's nearer caches. */
const WINDOW = 8_192;
/** Looking up a document costs as much as passing so many postings. */
const LOOKUP_COST = 12;
/** Bounds are sums in another order than scores; this much of the difference is rounding. */
const ROUNDING = 1 + 1e-5;

interface Accumulator {
	readonly best: BestSlots;
	/** Of the documents of one window. */
	readonly scores: Float32Array;
	/** Places of the window that have a score. */
	readonly touched: Uint16Array;
}

/** The postings of one index, by term, the highest factors first. */
export interface ScopePostings {
	readonly scope: LexicalScope;
	readonly lists: readonly PostingList[];
}

/**
 * Lists whose documents are to be settled: those from `first` up to `end`. Documents of earlier lists are settled already. One object
 * stands for one group after the other: objects that are made for each of hundreds of graphs are taken for lasting ones, and fill the old
 * generation search by search.
 */
interface Group {
	scope: LexicalScope;
	lists: readonly PostingList[];
	first: number;
	end: number;
}

/** One object for one window after the other, for the same reason. */
interface Window {
	/** Lists from this one on are only looked up. */
	essential: number;
	/** Its first document. */
	start: number;
}

/** Adds up the essential lists, then looks for candidates; returns how many there are. */
function sumWindow(
	accumulator: Accumulator,
	{ scope, lists, first }: Group,
	window: Window,
): number {
	const { scores, touched, best } = accumulator;
	const { essential, start } = window;
	for (let position = first; position < essential; position++) {
		addPostings(scores, scope.index, lists[position] as PostingList, start);
	}
	const least = best.floor() / ROUNDING - restOf(lists, essential);
	const { mask } = scope;
	let count = 0;
	const end = Math.min(WINDOW, scope.index.documents - start);
	for (let place = 0; place < end; place++) {
		const score = scores[place] as number;
		if (score <= 0 || score < least || (mask && mask[start + place] === 0)) continue;
		touched[count++] = place;
	}
	return count;
}

function addPostings(
	scores: Float32Array,
	{ docs, impacts }: LexicalIndex,
	list: PostingList,
	start: number,
): void {
	const { end, factor } = list;
	const stop = start + WINDOW;
	let { at } = list;
	for (; at < end; at++) {
		const document = docs[at] as number;
		if (document >= stop) break;
		scores[document - start] =
			(scores[document - start] as number) + factor * (impacts[at] as number);
	}
	list.at = at;
}

function restOf(lists: readonly PostingList[], position: number): number {
	return lists[position]?.rest ?? 0;
}

/** Adds up the essential lists and notes what they touch: cheaper than `sumWindow` where that is little. */
function fillWindow(accumulator: Accumulator, group: Group, { essential, start }: Window): number {
	let count = 0;
	for (let position = group.first; position < essential; position++) {
		count = fillFrom(accumulator, group.scope, group.lists[position] as PostingList, {
			start,
			count,
		});
	}
	return count;
}

function fillFrom(
	{ scores, touched }: Accumulator,
	{ index: { docs, impacts }, mask }: LexicalScope,
	list: PostingList,
	{ start, count: before }: { readonly start: number; readonly count: number },
): number {
	const { end, factor } = list;
	const stop = start + WINDOW;
	let count = before;
	let { at } = list;
	for (; at < end; at++) {
		const document = docs[at] as number;
		if (document >= stop) break;
		const place = document - start;
		const score = scores[place] as number;
		if (score === 0) {
			if (mask && mask[document] === 0) continue;
			touched[count++] = place;
		}
		scores[place] = score + factor * (impacts[at] as number);
	}
	list.at = at;
	return count;
}

/** Adds the other terms to the touched documents, dropping those that can no longer win, and offers what is left. */
function settleWindow(
	accumulator: Accumulator,
	group: Group,
	{ essential, start }: Window,
	count: number,
): void {
	const { best, scores, touched } = accumulator;
	const { lists, scope } = group;
	const floor = best.floor();
	let left = count;
	for (let position = essential; position < lists.length && left > 0; position++) {
		const list = lists[position] as PostingList;
		left = keepCandidates(accumulator, left, floor / ROUNDING - list.rest);
		const from = seekFrom(list, scope.index, start);
		const to = seekFrom({ at: from, end: list.end }, scope.index, start + WINDOW);
		list.at = to;
		if (left * LOOKUP_COST < to - from)
			lookUp(accumulator, scope, list.factor, { start, from, to, left });
		else addToTouched(accumulator, scope, list.factor, { start, from, to });
	}
	for (let at = 0; at < left; at++) {
		const place = touched[at] as number;
		best.offer(scope.base + start + place, scores[place] as number);
	}
}

/** Keeps the touched places whose score is `least` or more; returns their number. */
function keepCandidates({ scores, touched }: Accumulator, count: number, least: number): number {
	let left = 0;
	for (let at = 0; at < count; at++) {
		const place = touched[at] as number;
		if ((scores[place] as number) >= least) touched[left++] = place;
	}
	return left;
}

/** The postings of one list in one window. */
interface Stretch {
	readonly start: number;
	readonly from: number;
	readonly to: number;
}

function lookUp(
	{ scores, touched }: Accumulator,
	{ index }: LexicalScope,
	factor: number,
	{ start, from, to, left }: Stretch & { readonly left: number },
): void {
	const { docs, impacts, documents } = index;
	const places = Math.min(WINDOW, documents - start);
	for (let candidate = 0; candidate < left; candidate++) {
		const place = touched[candidate] as number;
		const at = seekNear(docs, start + place, { from, to, share: place / places });
		if (at === to || docs[at] !== start + place) continue;
		scores[place] = (scores[place] as number) + factor * (impacts[at] as number);
	}
}

function addToTouched(
	{ scores }: Accumulator,
	{ index: { docs, impacts } }: LexicalScope,
	factor: number,
	{ start, from, to }: Stretch,
): void {
	for (let at = from; at < to; at++) {
		const place = (docs[at] as number) - start;
		const score = scores[place] as number;
		if (score > 0) scores[place] = score + factor * (impacts[at] as number);
	}
}

/** Place of the first posting at or after the document: in steps that double from where the list stands, then by halves. */
function seekFrom(
	{ at, end }: Pick<PostingList, "at" | "end">,
	{ docs }: LexicalIndex,
	document: number,
): number {
	let low = at;
	let step = 1;
	while (low + step < end && (docs[low + step] as number) < document) {
		low += step;
		step *= 2;
	}
	return seekPosting(docs, document, low, Math.min(end, low + step + 1));
}

/** A term is rare when it is in fewer documents than one in so many. */
const RARE = 16;
/** A window is gone through place by place when its lists have a posting for at least one in so many. */
const DENSE = 8;
/** Score of documents that an earlier group has settled: whatever is added changes nothing. */
const SETTLED = Number.NEGATIVE_INFINITY;

/** Shared by all searches, since none of them awaits. */
const scores = new Float32Array(WINDOW);
const touched = new Uint16Array(WINDOW);

/**
 * Offers the documents of all indexes to the best so far, exactly, and reads few: the highest factors come first, and once
 * the terms that are left could not lift a new document above the worst of the best, their postings are only looked up for
 * documents that can still be among the best (MaxScore, Turtle and Flood 1995). Rare terms go first in every index, alone: their
 * documents raise the floor for all others, which then go together.
 */
export function runMaxScore(best: BestSlots, entries: readonly ScopePostings[]): void {
	const [first] = entries;
	if (!first) return;
	const accumulator = { best, scores, touched };
	const group: Group = { ...first, first: 0, end: 0 };
	const window: Window = { essential: 0, start: 0 };
	const ends = entries.map(endOfRare);
	const settle = (entry: ScopePostings, from: number, end: number) => {
		group.scope = entry.scope;
		group.lists = entry.lists;
		group.first = from;
		group.end = end;
		settleGroup(accumulator, group, window);
	};
	entries.forEach((entry, at) => void settle(entry, 0, ends[at] ?? 0));
	entries.forEach((entry, at) => void settle(entry, ends[at] ?? 0, entry.lists.length));
}

function endOfRare({ lists, scope }: ScopePostings): number {
	let end = 0;
	while (end < lists.length && postingsOf(lists, 0, end + 1) * RARE < scope.index.documents) end++;
	return end;
}

function postingsOf(lists: readonly PostingList[], from: number, to: number): number {
	let postings = 0;
	for (let position = from; position < to; position++) {
		const { start, end } = lists[position] as PostingList;
		postings += end - start;
	}
	return postings;
}

function settleGroup(accumulator: Accumulator, group: Group, window: Window): void {
	const { lists, first, end } = group;
	for (const list of lists) list.at = list.start;
	let essential = end;
	for (;;) {
		const floor = accumulator.best.floor();
		while (essential > first && restOf(lists, essential - 1) * ROUNDING < floor) essential--;
		const start = nextDocument(group, essential);
		if (start === undefined) return;
		accumulator.scores.fill(0, 0, group.scope.index.documents - start);
		markSettled(accumulator, group, start);
		window.essential = essential;
		window.start = start;
		const isDense = postingsOf(lists, first, essential) * DENSE > group.scope.index.documents;
		const count = isDense
			? sumWindow(accumulator, group, window)
			: fillWindow(accumulator, group, window);
		if (count > 0) settleWindow(accumulator, group, window, count);
	}
}

/** The first document that an essential list of the group leads to and no window has seen. */
function nextDocument({ scope, lists, first }: Group, essential: number): number | undefined {
	let next: number | undefined;
	for (let position = first; position < essential; position++) {
		const { at, end } = lists[position] as PostingList;
		if (at < end) next = Math.min(next ?? Number.POSITIVE_INFINITY, scope.index.docs[at] as number);
	}
	return next;
}

function markSettled({ scores }: Accumulator, { scope, lists, first }: Group, start: number): void {
	const { docs } = scope.index;
	const stop = start + WINDOW;
	for (let position = 0; position < first; position++) {
		const list = lists[position] as PostingList;
		let at = seekFrom(list, scope.index, start);
		for (; at < list.end && (docs[at] as number) < stop; at++) {
			scores[(docs[at] as number) - start] = SETTLED;
		}
		list.at = at;
	}
}
