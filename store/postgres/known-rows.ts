import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../src/kernel/kernel.js";
import type { Row } from "../store.js";

const BYTES_AT_MOST = 8 * 2 ** 20;
const NAMES_AT_MOST = 10_000;
/** How long a balance is recalled: longer than most calls take. */
const RECALL_MS = 1_000;
const SHUN_MS = 60_000;

export interface KnownRow {
	readonly row: Row;
	readonly version: string;
	/** Characters of its JSON. */
	readonly size: number;
}

/** As the database makes it: SHA-256 in hexadecimal. */
export const versionOf = (body: string): string => createHash("sha256").update(body).digest("hex");

export type KnownRows = ReturnType<typeof createKnownRows>;

/**
 * Rows as this process last saw or wrote them, by the names of their locks: a call that reads the hold it opened a moment ago need
 * not ask. They may be old, so only what is compared at its commit may rest on them; those that others write, too, are asked for.
 */
export function createKnownRows(clock: Clock) {
	const rows = new LRUCache<string, KnownRow>({
		maxSize: BYTES_AT_MOST,
		sizeCalculation: ({ size }, name) => size + name.length,
	});
	/** Names of rows that were old once, and until when they are asked for. */
	const shunned = new LRUCache<string, number>({ max: NAMES_AT_MOST });
	const balances = new LRUCache<string, bigint>({ max: NAMES_AT_MOST, ttl: RECALL_MS });
	return {
		get: (name: string): KnownRow | undefined => rows.get(name),
		note(name: string, row: KnownRow): void {
			if ((shunned.get(name) ?? 0) <= clock.monotonicMs()) rows.set(name, row);
		},
		/** Of an account after a hold of this process: its capture, which comes next, does not change it. */
		noteBalance: (account: string, amount: bigint): void => void balances.set(account, amount),
		/** Once: whatever comes after that may be of another process. */
		takeBalance(account: string): bigint | undefined {
			const amount = balances.get(account);
			balances.delete(account);
			return amount;
		},
		forget: (name: string): void => void rows.delete(name),
		/** What was known turned out to be old, or may have. */
		shun(names: Iterable<string>): void {
			for (const name of names)
				if (rows.delete(name)) shunned.set(name, clock.monotonicMs() + SHUN_MS);
		},
	};
}
