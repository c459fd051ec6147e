import { compareText, firstWhere, type Steps } from "../../../src/knowledge/knowledge.js";

/** The place of the first of these, in the order of their ids, that comes behind an id; the id itself need not be there. */
export function firstBehind<T>(items: readonly T[], idOf: (item: T) => string, id: string): number {
	return firstWhere(items.length, (at) => compareText(idOf(items[at] as T), id) > 0);
}

const RUN = 512;

/** The items in order; what compares as equal stays as it stood. */
export function* sortInSteps<T>(
	items: readonly T[],
	compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
	let runs: (readonly T[])[] = [];
	for (let at = 0; at < items.length; at += RUN) {
		runs.push(items.slice(at, at + RUN).sort(compare));
		yield;
	}
	while (runs.length > 1) {
		const merged: (readonly T[])[] = [];
		for (let at = 0; at < runs.length; at += 2) {
			merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
		}
		runs = merged;
	}
	return runs[0] ?? [];
}

function* merge<T>(
	a: readonly T[],
	b: readonly T[],
	compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
	if (b.length === 0) return a;
	const merged: T[] = [];
	let [atA, atB] = [0, 0];
	while (atA < a.length && atB < b.length) {
		const [nextA, nextB] = [a[atA] as T, b[atB] as T];
		if (compare(nextA, nextB) <= 0) {
			merged.push(nextA);
			atA++;
		} else {
			merged.push(nextB);
			atB++;
		}
		if (merged.length % RUN === 0) yield;
	}
	return merged.concat(a.slice(atA), b.slice(atB));
}

/** A binary heap: what is least by `compare` comes out first. */
export function createLeastFirst<T>(compare: (a: T, b: T) => number) {
	const items: T[] = [];
	const isBefore = (a: number, b: number) => compare(items[a] as T, items[b] as T) < 0;
	const swap = (a: number, b: number) => {
		const kept = items[a] as T;
		items[a] = items[b] as T;
		items[b] = kept;
	};
	const leastOf = (at: number): number => {
		const left = 2 * at + 1;
		const right = left + 1;
		const least = left < items.length && isBefore(left, at) ? left : at;
		return right < items.length && isBefore(right, least) ? right : least;
	};
	const sink = () => {
		for (let at = 0, least = leastOf(at); least !== at; least = leastOf(at)) {
			swap(at, least);
			at = least;
		}
	};
	return {
		add(item: T): void {
			items.push(item);
			for (let at = items.length - 1; at > 0; ) {
				const parent = (at - 1) >> 1;
				if (!isBefore(at, parent)) return;
				swap(at, parent);
				at = parent;
			}
		},
		take(): T | undefined {
			const last = items.pop();
			if (last === undefined || items.length === 0) return last;
			const [first] = items;
			items[0] = last;
			sink();
			return first;
		},
	};
}
