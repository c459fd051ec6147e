import { createBestOf, normalizeName, trigramsOf } from "../../src/evidence/evidence.js";
import type { Steps } from "../../src/knowledge/knowledge.js";
import type { MatchReason } from "./entity-wire.js";

/** One way to call something. */
export interface NameEntry<Named> {
	readonly text: string;
	/** What the name is to what it names. */
	readonly kind: keyof typeof EXACT;
	readonly named: Named;
}

export interface NameMatch<Named> {
	readonly named: Named;
	/** 1 for a title, less for every weaker reason, 0..1. */
	readonly score: number;
	readonly why: MatchReason;
	/** The name as it is written there. */
	readonly matched: string;
}

/** Finds what is called so, or nearly so. */
export interface NameIndex<Named> {
	/** Best first, each thing once; `equal` things in the order they were given. */
	find(name: string, limit: number): readonly NameMatch<Named>[];
	/** What is called just so, by title, alias or identifier, in either case. */
	called(name: string): readonly NameEntry<Named>[];
}

const EXACT = {
	title: { why: "exact title", score: 1 },
	alias: { why: "alias", score: 0.95 },
	identifier: { why: "identifier", score: 0.9 },
} as const;
const PART_SCORE = 0.6;
const PART_SHARE = 0.2;
const NEAR_SHARE = 0.8;
/** Dice's coefficient from which a name may be a slip of another. */
const NEAR_LEAST = 0.55;

export function* toNameIndex<Named>(entries: Iterable<NameEntry<Named>>): Steps<NameIndex<Named>> {
	const byKey = new Map<string, NameEntry<Named>[]>();
	const byGram = new Map<string, number[]>();
	const spelled: Spelled<Named>[] = [];
	for (const entry of entries) {
		yield;
		const key = normalizeName(entry.text);
		if (key === "") continue;
		addToList(byKey, key, entry);
		if (entry.kind === "identifier") continue;
		const grams = trigramsOf(key);
		for (const gram of grams) addToList(byGram, gram, spelled.length);
		spelled.push({ key, grams: grams.size, entry });
	}
	return {
		called: (name) => byKey.get(normalizeName(name)) ?? [],
		find(name, limit) {
			const key = normalizeName(name);
			if (key === "") return [];
			const exact = (byKey.get(key) ?? []).map(({ named, kind, text }) => {
				return { named, matched: text, ...EXACT[kind] };
			});
			return bestOf([...exact, ...spelledLike(key, spelled, byGram)], limit);
		},
	};
}

interface Spelled<Named> {
	readonly key: string;
	/** How many trigrams it has. */
	readonly grams: number;
	readonly entry: NameEntry<Named>;
}

export function addToList<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
	const list = lists.get(key);
	if (list) list.push(value);
	else lists.set(key, [value]);
}

function* spelledLike<Named>(
	key: string,
	spelled: readonly Spelled<Named>[],
	byGram: ReadonlyMap<string, readonly number[]>,
): Iterable<NameMatch<Named>> {
	const asked = trigramsOf(key);
	const { shared, touched } = countShared(asked, spelled.length, byGram);
	for (const place of touched) {
		const found = spelled[place];
		const count = shared[place] ?? 0;
		if (!found) continue;
		const likeness = (2 * count) / (asked.size + found.grams);
		const isLike = likeness >= NEAR_LEAST || count === asked.size;
		const match = isLike ? toLike(key, likeness, found) : undefined;
		if (match) yield match;
	}
}

/** How many of the trigrams each name has, and which have any. */
function countShared(
	asked: ReadonlySet<string>,
	names: number,
	byGram: ReadonlyMap<string, readonly number[]>,
) {
	// A name has 200 characters before it is normalized, each of which becomes 18 at most: more than a byte counts.
	const shared = new Uint16Array(names);
	const touched: number[] = [];
	for (const gram of asked) {
		for (const place of byGram.get(gram) ?? []) {
			if (shared[place] === 0) touched.push(place);
			shared[place] = (shared[place] ?? 0) + 1;
		}
	}
	return { shared, touched };
}

function toLike<Named>(
	key: string,
	likeness: number,
	{ key: other, entry }: Spelled<Named>,
): NameMatch<Named> | undefined {
	const { named, text: matched } = entry;
	if (` ${other} `.includes(` ${key} `)) {
		return { named, matched, why: "part of a name", score: PART_SCORE + PART_SHARE * likeness };
	}
	if (likeness < NEAR_LEAST) return undefined;
	return { named, matched, why: "near spelling", score: NEAR_SHARE * likeness };
}

function bestOf<Named>(
	matches: Iterable<NameMatch<Named>>,
	limit: number,
): readonly NameMatch<Named>[] {
	const byNamed = new Map<Named, NameMatch<Named>>();
	for (const match of matches) {
		const known = byNamed.get(match.named);
		if (!known || known.score < match.score) byNamed.set(match.named, match);
	}
	const best = createBestOf<NameMatch<Named>>(limit, (a, b) => b.score - a.score);
	for (const match of byNamed.values()) best.add(match);
	return best.inOrder();
}
