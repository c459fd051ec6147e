/** A map of many texts that never stops to grow all at once: an ordinary one of a hundred thousand takes long to double. */
export interface ShardedMap<Value> {
	get(key: string): Value | undefined;
	set(key: string, value: Value): void;
	values(): Iterable<Value>;
}

const SHARDS = 64;
const LAST_CHARS = 3;

export function createShardedMap<Value>(): ShardedMap<Value> {
	const shards = Array.from({ length: SHARDS }, () => new Map<string, Value>());
	const shardOf = (key: string) => shards[shardNumberOf(key)] as Map<string, Value>;
	return {
		get: (key) => shardOf(key).get(key),
		set: (key, value) => void shardOf(key).set(key, value),
		*values() {
			for (const shard of shards) yield* shard.values();
		},
	};
}

/** Addresses and names differ at their ends. */
function shardNumberOf(key: string): number {
	let hash = key.length;
	for (let at = Math.max(0, key.length - LAST_CHARS); at < key.length; at++) {
		hash = hash * 31 + key.charCodeAt(at);
	}
	return hash % SHARDS;
}
