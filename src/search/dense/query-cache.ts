import { hash } from "node:crypto";
import { LIMITS } from "../../contract/contract.js";

/** What was found for the last few thousand queries. */
export interface QueryCache<Value> {
	find(query: string): Value | undefined;
	keep(query: string, value: Value): void;
	drop(query: string): void;
}

const CACHE_ENTRIES = 2_048;

/** Keys are hashes: of one size however long a query is, and without its text. */
export function createQueryCache<Value>(): QueryCache<Value> {
	const values = new Map<string, Value>();
	return {
		find(query) {
			const key = keyOf(query);
			const value = values.get(key);
			if (value !== undefined) {
				values.delete(key); // and again at the end: the first key is the one unused for longest.
				values.set(key, value);
			}
			return value;
		},
		keep(query, value) {
			values.set(keyOf(query), value);
			const oldest = values.size > CACHE_ENTRIES ? values.keys().next().value : undefined;
			if (oldest !== undefined) values.delete(oldest);
		},
		drop: (query) => void values.delete(keyOf(query)),
	};
}

/** Spellings of a query that ask the same are made one text, of bounded length. */
export function normalizeQuery(query: string): string {
	return query.normalize("NFKC").trim().replace(/\s+/g, " ").slice(0, LIMITS.queryChars);
}

function keyOf(query: string): string {
	return hash("sha256", query, "base64");
}
