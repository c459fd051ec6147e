import type { BestSlots } from "./best-slots.js";
import { type LexicalIndex, type LexicalScope, seekPosting } from "./lexical-index.js";

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

/**
 * Offers the documents of one index after the other to the best so far, exactly, and looks at few: the highest factors come first, and once
 * the terms that are left could not lift a new document above the worst of the best, their postings are only looked up for documents
 * that are still in the race (MaxScore, Turtle and Flood 1995).
 */
export interface PostingRace {
	/** Lists in the order of their factors, the highest first. */
	run(lists: readonly PostingList[], scope: LexicalScope): void;
}

/** Documents are gone through in windows whose scores stay in the processor's nearest cache. */
const WINDOW = 4_096;
/** Looking up a document costs as much as passing so many postings. */
const LOOKUP_COST = 12;
/** Bounds are sums in another order than scores; this much of the difference is rounding. */
const ROUNDING = 1 + 1e-5;
/** A term is rare when it is in fewer documents than one in so many. */
const RARE = 16;
/** A window is gone through place by place when its lists have a posting for at least one in so many. */
const DENSE = 8;
/** Score of documents that an earlier group has settled: whatever is added changes nothing. */
const SETTLED = Number.NEGATIVE_INFINITY;

interface Race {
	readonly best: BestSlots;
	/** Of the documents of one window; zero between windows. */
	readonly scores: Float32Array;
	/** Places of the window that have a score. */
	readonly touched: Uint16Array;
}

/** Lists whose documents are to be settled: those from `first` up to `end`. Documents of earlier lists are settled already. */
interface Group {
	readonly scope: LexicalScope;
	readonly lists: readonly PostingList[];
	readonly first: number;
	readonly end: number;
}

export function createPostingRace(best: BestSlots): PostingRace {
	const race = { best, scores: new Float32Array(WINDOW), touched: new Uint16Array(WINDOW) };
	return {
		run(lists, scope) {
			for (let first = 0; first < lists.length; ) {
				const end = endOfGroup(lists, first, scope.index.documents);
				settleGroup(race, { scope, lists, first, end });
				first = end;
			}
		},
	};
}

/** Rare terms go first, alone: their documents raise the bar for all others, which then go together. */
function endOfGroup(lists: readonly PostingList[], first: number, documents: number): number {
	if (first > 0) return lists.length;
	let end = 0;
	while (end < lists.length && postingsOf(lists, 0, end + 1) * RARE < documents) end++;
	return end === 0 ? lists.length : end;
}

function postingsOf(lists: readonly PostingList[], from: number, to: number): number {
	let postings = 0;
	for (let position = from; position < to; position++) {
		const { start, end } = lists[position] as PostingList;
		postings += end - start;
	}
	return postings;
}

function settleGroup(race: Race, group: Group): void {
	const { lists, first, end } = group;
	for (const list of lists) list.at = list.start;
	let essential = end;
	for (;;) {
		const floor = race.best.floor();
		while (essential > first && restOf(lists, essential - 1) * ROUNDING < floor) essential--;
		const start = nextDocument(group, essential);
		if (start === undefined) return;
		markSettled(race, group, start);
		const window = { essential, start };
		const isDense = postingsOf(lists, first, essential) * DENSE > group.scope.index.documents;
		const count = isDense ? sumWindow(race, group, window) : fillWindow(race, group, window);
		if (count > 0) settleWindow(race, group, { ...window, count });
		race.scores.fill(0);
	}
}

interface Window {
	/** Lists from this one on are only looked up. */
	readonly essential: number;
	/** Its first document. */
	readonly start: number;
}

/** Adds up the essential lists, then looks for contenders; gives how many there are. */
function sumWindow(race: Race, { scope, lists, first }: Group, window: Window): number {
	const { scores, touched, best } = race;
	const { essential, start } = window;
	for (let position = first; position < essential; position++) {
		addPostings(scores, scope.index, lists[position] as PostingList, start);
	}
	const least = best.floor() / ROUNDING - restOf(lists, essential);
	const { mask } = scope;
	let count = 0;
	for (let place = 0; place < WINDOW; place++) {
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

/** The first document that an essential list of the group leads to and no window has seen. */
function nextDocument({ scope, lists, first }: Group, essential: number): number | undefined {
	let next: number | undefined;
	for (let position = first; position < essential; position++) {
		const { at, end } = lists[position] as PostingList;
		if (at < end) next = Math.min(next ?? Number.POSITIVE_INFINITY, scope.index.docs[at] as number);
	}
	return next;
}

function markSettled({ scores }: Race, { scope, lists, first }: Group, start: number): void {
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

/** Adds up the essential lists and notes what they touch: cheaper than `sumWindow` where that is little. */
function fillWindow(race: Race, group: Group, { essential, start }: Window): number {
	let count = 0;
	for (let position = group.first; position < essential; position++) {
		count = fillFrom(race, group.scope, group.lists[position] as PostingList, { start, count });
	}
	return count;
}

function fillFrom(
	{ scores, touched }: Race,
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
	race: Race,
	group: Group,
	{ essential, start, count }: Window & { readonly count: number },
): void {
	const { best, scores, touched } = race;
	const { lists, scope } = group;
	const floor = best.floor();
	let left = count;
	for (let position = essential; position < lists.length && left > 0; position++) {
		const list = lists[position] as PostingList;
		left = keepContenders(race, left, floor / ROUNDING - list.rest);
		const from = seekFrom(list, scope.index, start);
		const to = seekFrom({ at: from, end: list.end }, scope.index, start + WINDOW);
		list.at = to;
		if (left * LOOKUP_COST < to - from) lookUp(race, scope, list.factor, { start, from, to, left });
		else addToTouched(race, scope, list.factor, { start, from, to });
	}
	for (let at = 0; at < left; at++) {
		const place = touched[at] as number;
		best.offer(scope.base + start + place, scores[place] as number);
	}
}

/** Keeps the touched places whose score is `least` or more; gives their number. */
function keepContenders({ scores, touched }: Race, count: number, least: number): number {
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
	{ scores, touched }: Race,
	{ index }: LexicalScope,
	factor: number,
	{ start, from, to, left }: Stretch & { readonly left: number },
): void {
	for (let contender = 0; contender < left; contender++) {
		const place = touched[contender] as number;
		const at = seekPosting(index, start + place, from, to);
		if (at === to || index.docs[at] !== start + place) continue;
		scores[place] = (scores[place] as number) + factor * (index.impacts[at] as number);
	}
}

function addToTouched(
	{ scores }: Race,
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
	index: LexicalIndex,
	document: number,
): number {
	const { docs } = index;
	let low = at;
	let step = 1;
	while (low + step < end && (docs[low + step] as number) < document) {
		low += step;
		step *= 2;
	}
	return seekPosting(index, document, low, Math.min(end, low + step + 1));
}
