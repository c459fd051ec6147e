/**
 * An immutable map by path: a changed one shares all but a few buckets with the old; plain data,
 * comparable part by part.
 */
export interface PathMap<V> {
	readonly buckets: readonly ReadonlyMap<string, V>[];
	readonly size: number;
}

/** Few enough to copy their list in microseconds, many enough to keep each small with a hundred thousand paths. */
const BUCKETS = 1_024;
const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** Undefined stands for no entry. */
export type PathChange<V> = readonly [path: string, value: V | undefined];

export function toPathMap<V>(entries: Iterable<PathChange<V>>): PathMap<V> {
	return withPaths({ buckets: Array.from({ length: BUCKETS }, () => NOTHING), size: 0 }, entries);
}

/** A map that is filled one entry at a time; nothing is put once it was taken. */
export function growPathMap<V>() {
	const buckets: ReadonlyMap<string, V>[] = Array.from({ length: BUCKETS }, () => NOTHING);
	const opened = new Map<number, Map<string, V>>();
	return {
		put(path: string, value: V): void {
			const index = bucketOf(path);
			const bucket = opened.get(index) ?? new Map();
			opened.set(index, bucket);
			buckets[index] = bucket.set(path, value);
		},
		take: (): PathMap<V> => ({ buckets, size: buckets.reduce((sum, { size }) => sum + size, 0) }),
	};
}

export function valueAt<V>(map: PathMap<V>, path: string): V | undefined {
	return map.buckets[bucketOf(path)]?.get(path);
}

/** The map with these values put; undefined takes an entry out. */
export function withPaths<V>(map: PathMap<V>, changes: Iterable<PathChange<V>>): PathMap<V> {
	const buckets = [...map.buckets];
	const opened = new Map<number, Map<string, V>>();
	let { size } = map;
	for (const [path, value] of changes) {
		const index = bucketOf(path);
		const bucket = opened.get(index) ?? new Map(buckets[index]);
		opened.set(index, bucket);
		size -= bucket.size;
		if (value === undefined) bucket.delete(path);
		else bucket.set(path, value);
		size += bucket.size;
	}
	for (const [index, bucket] of opened) buckets[index] = bucket;
	return { buckets, size };
}

export function* entriesOf<V>({ buckets }: PathMap<V>): Generator<[path: string, value: V]> {
	for (const bucket of buckets) yield* bucket;
}

function bucketOf(path: string): number {
	return fnv1a(path) % BUCKETS;
}

/** The first of `count` places for which `isReached` holds, where it holds for all after it; `count` when for none. */
export function firstWhere(count: number, isReached: (index: number) => boolean): number {
	let low = 0;
	let high = count;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (isReached(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** FNV-1a over the code units, 32 bits: the same on every machine. */
export function fnv1a(text: string): number {
	let hash = 0x811c9dc5;
	for (let at = 0; at < text.length; at++) {
		hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	}
	return hash >>> 0;
}
