import type { Micros } from "../../src/kernel/kernel.js";
import {
	type AccountName,
	addEntries,
	encodeObject,
	LEDGER_KEY_WINDOW_MS,
	type Operation,
	type ReceiptRow,
	type Row,
	TABLE_INDEXES,
	type TableName,
} from "../store.js";
import type { Session } from "./connection.js";
import { toKey } from "./text-keys.js";

/** Writes what one transaction did, in one statement. */
export async function applyOperations(
	{
		session,
		schema,
		at,
		processId,
	}: {
		readonly session: Session;
		readonly schema: string;
		readonly at: number;
		readonly processId: string;
	},
	operations: readonly Operation[],
): Promise<void> {
	const rows = [...lastWrites(operations).values()];
	const column = (place: number) => rows.map(({ row, table }) => indexValue(row, table, place));
	const books = booksOf(operations);
	await session.query(
		`SELECT ${schema}.apply($1, $2, $3, $4, $5, $6, $7, $8::text[]::numeric[], $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		[
			rows.map(({ table }) => table),
			rows.map(({ id }) => toKey(id)),
			rows.map(({ body }) => body),
			...[0, 1, 2].map(column),
			[...books.sums.keys()].map(toKey),
			[...books.sums.values()].map(String),
			books.keys.map(toKey),
			at,
			LEDGER_KEY_WINDOW_MS,
			books.text ?? null,
			books.postings,
			[...books.owners.keys()].map(toKey),
			[...books.owners.values()].map(({ hasPosting }) => hasPosting),
			[...books.owners.values()].map(({ receiptAt }) => receiptAt ?? null),
			processId,
		],
	);
}

export interface Write {
	readonly table: TableName;
	readonly id: string;
	/** Null for a deleted one. */
	readonly row: Row | null;
	/** As JSON. */
	readonly body: string | null;
}

/** Names of the locks of the rows that are written. */
export function rowLocksOf(operations: readonly Operation[]): readonly string[] {
	return [...lastWrites(operations).values()].map(({ table, id }) => rowLock(table, id));
}

export const rowLock = (table: TableName, id: string): string => `r|${table}|${toKey(id)}`;

/** What each row has become. */
export function lastWrites(operations: readonly Operation[]): ReadonlyMap<string, Write> {
	const writes = new Map<string, Write>();
	for (const operation of operations) {
		if (operation.kind === "post") continue;
		const { table } = operation;
		const row = operation.kind === "put" ? operation.row : null;
		const id = operation.kind === "put" ? operation.row.id : operation.id;
		writes.set(`${table}|${id}`, { table, id, row, body: row && encodeObject(row) });
	}
	return writes;
}

export function indexValue(row: Row | null, table: TableName, place: number): string | null {
	const field = TABLE_INDEXES[table][place];
	const value = field === undefined ? undefined : (row as Record<string, unknown> | null)?.[field];
	return value === undefined || value === null ? null : toKey(String(value));
}

/** What one owner has in a transaction. */
interface Mention {
	hasPosting: boolean;
	/** Of the newest receipt. */
	receiptAt: number | undefined;
}

export type Books = ReturnType<typeof booksOf>;

/** What the transaction leaves in the books; no text where it moved no money and wrote no receipt. */
export function booksOf(operations: readonly Operation[]) {
	const postings = operations.flatMap((one) => (one.kind === "post" ? one.transaction : []));
	const receipts = operations.flatMap((one) =>
		one.kind === "put" && one.table === "receipts" ? (one.row as ReceiptRow) : [],
	);
	const sums = new Map<AccountName, Micros>();
	const moves = new Map<AccountName, Move>();
	for (const { entries } of postings) {
		addEntries(sums, entries);
		for (const { account } of entries) noteMove(moves, account, sums.get(account) ?? 0n);
	}
	const isEmpty = postings.length === 0 && receipts.length === 0;
	return {
		text: isEmpty ? undefined : encodeObject({ postings, receipts }),
		postings: postings.length,
		keys: postings.flatMap(({ key }) => key ?? []),
		owners: mentionsOf(sums.keys(), receipts),
		sums,
		moves,
	};
}

/** What happens to one account, one posting after the other. */
interface Move {
	readonly amount: Micros;
	/** Of what it has changed by after each posting. */
	readonly lowest: Micros;
}

function noteMove(moves: Map<AccountName, Move>, account: AccountName, amount: Micros): void {
	const lowest = moves.get(account)?.lowest ?? amount;
	moves.set(account, { amount, lowest: amount < lowest ? amount : lowest });
}

const OWNED = /^(?:cust|held):(.*)$/s;

function mentionsOf(
	accounts: Iterable<AccountName>,
	receipts: readonly ReceiptRow[],
): ReadonlyMap<string, Mention> {
	const mentions = new Map<string, Mention>();
	const mentionOf = (owner: string) => {
		const mention = mentions.get(owner) ?? { hasPosting: false, receiptAt: undefined };
		mentions.set(owner, mention);
		return mention;
	};
	for (const account of accounts) {
		const owner = OWNED.exec(account)?.[1];
		if (owner !== undefined) mentionOf(owner).hasPosting = true;
	}
	for (const { owner, at } of receipts) {
		const mention = mentionOf(owner);
		mention.receiptAt = Math.max(mention.receiptAt ?? at, at);
	}
	return mentions;
}
