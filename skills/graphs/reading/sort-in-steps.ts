import type { Steps } from "../../../src/knowledge/knowledge.js";

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
