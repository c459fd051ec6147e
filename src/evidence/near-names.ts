import { runInTurns, type Steps } from "../knowledge/knowledge.js";

const COUNT = 3;
const LEAST = 0.3;

/** A few names written like one that no one has, most alike first. */
export function findNearNames(wanted: string, names: Iterable<string>): Promise<readonly string[]> {
	return runInTurns(nearest(wanted, names));
}

function* nearest(wanted: string, names: Iterable<string>): Steps<readonly string[]> {
	const asked = trigramsOf(normalizeName(wanted));
	const best = createBestOf<{ readonly name: string; readonly likeness: number }>(
		COUNT,
		(a, b) => b.likeness - a.likeness,
	);
	for (const name of names) {
		yield;
		const likeness = similarityOf(asked, trigramsOf(normalizeName(name)));
		if (likeness >= LEAST) best.add({ name, likeness });
	}
	return best.inOrder().map(({ name }) => name);
}

const NAME_CHARS = 200;

/** A name without what writers differ in: case, marks, punctuation and spaces. Empty for a name of punctuation alone. */
export function normalizeName(name: string): string {
	return name
		.slice(0, NAME_CHARS)
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.toLowerCase()
		.replace(/[^\p{L}\p{N}+#]+/gu, " ")
		.trim();
}

/** Runs of three characters of a normalized name, its words set apart by spaces. */
export function trigramsOf(name: string): ReadonlySet<string> {
	const text = ` ${name} `;
	const grams = new Set<string>();
	for (let at = 0; at + 3 <= text.length; at++) grams.add(text.slice(at, at + 3));
	return grams;
}

/** Dice's coefficient: twice what both have, over what each has. 0..1. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	let shared = 0;
	for (const gram of a) if (b.has(gram)) shared += 1;
	return (2 * shared) / (a.size + b.size);
}

/** The first few of many, in order, without keeping or sorting the rest; `compare` is negative where its first item comes first. */
export function createBestOf<Item>(count: number, compare: (a: Item, b: Item) => number) {
	const kept: Item[] = [];
	return {
		add(item: Item): void {
			const last = kept.at(-1);
			if (kept.length >= count && last !== undefined && compare(item, last) >= 0) return;
			let [low, high] = [0, kept.length];
			while (low < high) {
				const middle = (low + high) >>> 1;
				if (compare(kept[middle] as Item, item) <= 0) low = middle + 1;
				else high = middle;
			}
			kept.splice(low, 0, item);
			if (kept.length > count) kept.pop();
		},
		inOrder: (): readonly Item[] => kept,
	};
}
