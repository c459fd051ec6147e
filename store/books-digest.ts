import { createHash, hash } from "node:crypto";
import { toCanonicalJson } from "../src/kernel/kernel.js";
import type { BooksSource, CopyHooks } from "./books-parts.js";
import { withoutBigints } from "./row-json.js";
import type { CommittedTransaction } from "./store-port.js";
import { COLD_TABLES, TABLE_INDEXES, type TableName } from "./tables.js";

/** How many things a part of the books holds, and the SHA-256 of all of them. */
export interface PartDigest {
	readonly count: number;
	/** 64 hexadecimal digits. */
	readonly sha256: string;
}

/** The same books have the same digest, whichever adapter keeps them. */
export interface BooksDigest {
	/** By name: `history`, `balances`, `documents`, `query_log`, and each table. */
	readonly parts: ReadonlyMap<string, PartDigest>;
	/** Postings in the history. */
	readonly postings: number;
}

export const HOT_TABLES = (Object.keys(TABLE_INDEXES) as TableName[]).filter(
	(table) => !COLD_TABLES.has(table),
);

/** Reads all of the books once. Documents count that expire after `now`. */
export async function digestBooks(
	source: BooksSource,
	{ now, onProgress, assertWanted }: CopyHooks & { readonly now: number },
): Promise<BooksDigest> {
	const { history, receipts, postings } = await digestHistory(source, { onProgress, assertWanted });
	const parts = new Map<string, PartDigest>([["history", history]]);
	parts.set("receipts", source.receipts ? await digestRows(source.receipts()) : receipts);
	for (const table of HOT_TABLES) {
		assertWanted?.();
		parts.set(table, await digestRows(source.store.rows(table)));
	}
	parts.set("balances", await digestBalances(source));
	parts.set("documents", await digestDocuments(source, now));
	parts.set("query_log", await digestQueries(source));
	return { parts, postings };
}

async function digestHistory(source: BooksSource, { onProgress, assertWanted }: CopyHooks) {
	const total = await source.end();
	const history = createDigest();
	const receipts = createUnorderedDigest();
	let postings = 0;
	for await (const commit of source.commits()) {
		if (history.count() % 500 === 0) {
			assertWanted?.();
			onProgress?.({ done: commit.place, total });
		}
		history.add(canonicalOf({ postings: commit.postings, receipts: commit.receipts }));
		for (const receipt of commit.receipts) receipts.add(canonicalOf(receipt));
		postings += commit.postings.length;
	}
	onProgress?.({ done: total, total });
	return { history: history.end(), receipts: receipts.end(), postings };
}

/** Members in one order, money as decimal strings: what a row says, not how it was made. */
function canonicalOf(value: object): string {
	return toCanonicalJson(withoutBigints(value));
}

async function digestRows(rows: AsyncIterable<object>): Promise<PartDigest> {
	const digest = createUnorderedDigest();
	for await (const row of rows) digest.add(canonicalOf(row));
	return digest.end();
}

async function digestBalances({ store }: BooksSource): Promise<PartDigest> {
	const digest = createUnorderedDigest();
	for (const [account, amount] of await store.read((reader) => reader.balances())) {
		digest.add(JSON.stringify([account, amount.toString()]));
	}
	return digest.end();
}

async function digestDocuments(source: BooksSource, now: number): Promise<PartDigest> {
	const digest = createDigest();
	for await (const { id, text, expiresAt } of source.documents(now)) {
		digest.add(JSON.stringify([id, expiresAt, text]));
	}
	return digest.end();
}

/** As the rows are written, since what is sealed in one is bound to the order of the others' members. */
async function digestQueries({ store }: BooksSource): Promise<PartDigest> {
	const digest = createDigest();
	for await (const row of store.queryLog.readDays({})) digest.add(JSON.stringify(row));
	return digest.end();
}

/** Of lines in their order. */
function createDigest() {
	const sha256 = createHash("sha256");
	let count = 0;
	return {
		count: () => count,
		add(line: string): void {
			sha256.update(line).update("\n");
			count += 1;
		},
		end: (): PartDigest => ({ count, sha256: sha256.digest("hex") }),
	};
}

const MODULUS = 1n << 256n;

/**
 * Of lines in any order: the sum of their hashes. Adapters sort ids by different rules, and what is many is not held in memory to
 * be sorted. It tells what was lost, doubled or changed, which no one chose to.
 */
function createUnorderedDigest() {
	let sum = 0n;
	let count = 0;
	return {
		add(line: string): void {
			sum = (sum + BigInt(`0x${hash("sha256", line, "hex")}`)) % MODULUS;
			count += 1;
		},
		end: (): PartDigest => ({ count, sha256: sum.toString(16).padStart(64, "0") }),
	};
}

/** Names of the parts that differ. */
export function findDifferences(one: BooksDigest, other: BooksDigest): string[] {
	return [...new Set([...one.parts.keys(), ...other.parts.keys()])].filter((name) => {
		const [a, b] = [one.parts.get(name), other.parts.get(name)];
		return a?.count !== b?.count || a?.sha256 !== b?.sha256;
	});
}

/** How many keys that the one refuses would be taken by the other. */
export async function countFreedKeys(one: BooksSource, other: BooksSource): Promise<number> {
	const known = new Set<string>();
	for await (const { keys } of other.ledgerKeys()) for (const key of keys) known.add(key);
	let freed = 0;
	for await (const { keys } of one.ledgerKeys()) {
		for (const key of keys) if (!known.has(key)) freed += 1;
	}
	return freed;
}

/** What a commit leaves, as operations of one transaction. */
export function toOperations({ postings, receipts }: CommittedTransaction) {
	return [
		...postings.map((transaction) => ({ kind: "post" as const, transaction })),
		...receipts.map((row) => ({ kind: "put" as const, table: "receipts" as const, row })),
	];
}
