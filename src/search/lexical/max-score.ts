import type { BestSlots } from "./best-slots.js";
import type { LexicalScope } from "./lexical-index.js";
import {
	fillWindow,
	type Group,
	type PostingList,
	type Race,
	ROUNDING,
	restOf,
	seekFrom,
	settleWindow,
	sumWindow,
	WINDOW,
} from "./posting-window.js";

/** What takes part in a race: the postings of one index, by term, in the order of their factors, the highest first. */
export interface RaceEntry {
	readonly scope: LexicalScope;
	readonly lists: readonly PostingList[];
}

/** A term is rare when it is in fewer documents than one in so many. */
const RARE = 16;
/** A window is gone through place by place when its lists have a posting for at least one in so many. */
const DENSE = 8;
/** Score of documents that an earlier group has settled: whatever is added changes nothing. */
const SETTLED = Number.NEGATIVE_INFINITY;

/** One race after the other uses them: nothing awaits. */
const scores = new Float32Array(WINDOW);
const touched = new Uint16Array(WINDOW);

/**
 * Offers the documents of all indexes to the best so far, exactly, and looks at few: the highest factors come first, and once
 * the terms that are left could not lift a new document above the worst of the best, their postings are only looked up for
 * documents that are still in the race (MaxScore, Turtle and Flood 1995). Rare terms go first in every index, alone: their
 * documents raise the bar for all others, which then go together.
 */
export function runMaxScore(best: BestSlots, entries: readonly RaceEntry[]): void {
	const race = { best, scores, touched };
	const ends = entries.map(endOfRare);
	entries.forEach((entry, at) => {
		settleGroup(race, { ...entry, first: 0, end: ends[at] ?? 0 });
	});
	entries.forEach((entry, at) => {
		settleGroup(race, { ...entry, first: ends[at] ?? 0, end: entry.lists.length });
	});
}

function endOfRare({ lists, scope }: RaceEntry): number {
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

function settleGroup(race: Race, group: Group): void {
	const { lists, first, end } = group;
	for (const list of lists) list.at = list.start;
	let essential = end;
	for (;;) {
		const floor = race.best.floor();
		while (essential > first && restOf(lists, essential - 1) * ROUNDING < floor) essential--;
		const start = nextDocument(group, essential);
		if (start === undefined) return;
		race.scores.fill(0, 0, group.scope.index.documents - start);
		markSettled(race, group, start);
		const window = { essential, start };
		const isDense = postingsOf(lists, first, essential) * DENSE > group.scope.index.documents;
		const count = isDense ? sumWindow(race, group, window) : fillWindow(race, group, window);
		if (count > 0) settleWindow(race, group, { ...window, count });
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
