import type { BestSlots } from "./best-slots.js";
import { type LexicalIndex, type LexicalScope, seekNear, seekPosting } from "./lexical-index.js";

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
export const WINDOW = 8_192;
/** Looking up a document costs as much as passing so many postings. */
const LOOKUP_COST = 12;
/** Bounds are sums in another order than scores; this much of the difference is rounding. */
export const ROUNDING = 1 + 1e-5;

export interface Race {
	readonly best: BestSlots;
	/** Of the documents of one window. */
	readonly scores: Float32Array;
	/** Places of the window that have a score. */
	readonly touched: Uint16Array;
}

/** Lists whose documents are to be settled: those from `first` up to `end`. Documents of earlier lists are settled already. */
export interface Group {
	readonly scope: LexicalScope;
	readonly lists: readonly PostingList[];
	readonly first: number;
	readonly end: number;
}

interface Window {
	/** Lists from this one on are only looked up. */
	readonly essential: number;
	/** Its first document. */
	readonly start: number;
}

/** Adds up the essential lists, then looks for contenders; gives how many there are. */
export function sumWindow(race: Race, { scope, lists, first }: Group, window: Window): number {
	const { scores, touched, best } = race;
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

export function restOf(lists: readonly PostingList[], position: number): number {
	return lists[position]?.rest ?? 0;
}

/** Adds up the essential lists and notes what they touch: cheaper than `sumWindow` where that is little. */
export function fillWindow(race: Race, group: Group, { essential, start }: Window): number {
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
export function settleWindow(
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
	const { docs, impacts, documents } = index;
	const places = Math.min(WINDOW, documents - start);
	for (let contender = 0; contender < left; contender++) {
		const place = touched[contender] as number;
		const at = seekNear(docs, start + place, { from, to, share: place / places });
		if (at === to || docs[at] !== start + place) continue;
		scores[place] = (scores[place] as number) + factor * (impacts[at] as number);
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
export function seekFrom(
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
