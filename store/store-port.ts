import { type Micros, ServiceError } from "../src/kernel/kernel.js";
import type { ReceiptRow } from "./rows/call-rows.js";
import type { TABLE_INDEXES, TableName, Tables } from "./tables.js";

/**
 * Records name money `…Micros`: bigint in memory. The adapters are store/journal (lowdb over
 * an append journal, for one process) and store/postgres.
 */

/**
 * `cust:<id>`, `held:<id>`, `rev:<billing type>`, `cash:manual`, `cash:x402:<network>`, `promo:free_tier`, `refunds`, `suspense`,
 * `owed:<owner>`, `shares`.
 */
export type AccountName = string;

export interface LedgerEntry {
	readonly account: AccountName;
	/** Signed; the entries of one transaction sum to zero. */
	readonly amountMicros: Micros;
}

/**
 * credit: source → cust; settle: cash on a chain → cust; transfer: cust → cust; authorise: cust → held;
 * capture: held (or cust) → rev; release: held → cust; refund: rev or cust → refunds, payout: refunds → cash.
 */
export type LedgerKind =
	| "credit"
	| "settle"
	| "transfer"
	| "authorise"
	| "capture"
	| "release"
	| "refund"
	| "payout"
	| "adjust";

/**
 * Append only. `key` is unique within `LEDGER_KEY_WINDOW_MS`: the same key twice is one transaction. It is left out where
 * a row says as much already: a hold is opened once and closed once.
 */
export interface LedgerTransaction {
	readonly id: string;
	readonly key?: string | undefined;
	readonly kind: LedgerKind;
	readonly at: number;
	readonly entries: readonly LedgerEntry[];
	readonly ref: string;
	readonly memo?: string | undefined;
}

export const LEDGER_KEY_WINDOW_MS = 48 * 3_600_000;

/** Entries must sum to zero, `cust:` and `held:` accounts never go below zero, a key is used once. */
export class LedgerRefusal extends Error {
	readonly reason: "unbalanced" | "negative" | "duplicate_key";
	constructor(reason: LedgerRefusal["reason"], message: string) {
		super(message);
		this.name = "LedgerRefusal";
		this.reason = reason;
	}
}

/** What one store transaction left in the books; transactions that moved no money and wrote no receipt leave nothing. */
export interface CommittedTransaction {
	readonly postings: readonly LedgerTransaction[];
	readonly receipts: readonly ReceiptRow[];
}

export interface VerifyOptions {
	/** Only what came after the last verification that passed. */
	readonly sinceLast?: boolean;
	readonly onTransaction?: ((committed: CommittedTransaction) => void) | undefined;
}

export interface StoreReader {
	get<T extends TableName>(table: T, id: string): Promise<Tables[T] | undefined>;
	findBy<T extends TableName>(
		table: T,
		index: (typeof TABLE_INDEXES)[T][number],
		value: string,
	): Promise<readonly Tables[T][]>;
	/** Rows in id order; hot tables only. Within a transaction it waits for all who write there, and they for it: search instead. */
	list<T extends TableName>(table: T): Promise<readonly Tables[T][]>;
	balance(account: AccountName): Promise<Micros>;
	/** Every account that ever had an entry. */
	balances(): Promise<ReadonlyMap<AccountName, Micros>>;
	/** False for good once a process has ended, or was taken for ended: from then on it writes nothing. */
	isAlive(processId: string): Promise<boolean>;
}

/** The first row that has one of these values, in their order. */
export async function findByAny<T extends TableName>(
	reader: StoreReader,
	table: T,
	index: (typeof TABLE_INDEXES)[T][number],
	values: readonly string[],
): Promise<Tables[T] | undefined> {
	for (const value of values) {
		const [row] = await reader.findBy(table, index, value);
		if (row) return row;
	}
	return undefined;
}

/**
 * What a secret opens, once more and renamed in one transaction where an older key of ours knows it. A store that takes no
 * changes now keeps the older name: that is no reason to refuse who shows it.
 */
export async function findAndRename<Found>(
	store: Pick<Store, "read" | "transaction">,
	{
		find,
		isNewest,
		rename,
	}: {
		readonly find: (reader: StoreReader) => Promise<Found | undefined>;
		readonly isNewest: (found: Found) => boolean;
		readonly rename: (tx: StoreTransaction, found: Found) => Promise<void>;
	},
): Promise<Found | undefined> {
	const found = await store.read(find);
	if (!found || isNewest(found)) return found;
	const renamed = store.transaction(async (tx) => {
		const again = await find(tx);
		if (again) await rename(tx, again);
		return again;
	});
	return renamed.catch((error: unknown) => {
		if (error instanceof ServiceError && error.code === "UNAVAILABLE") return found;
		throw error;
	});
}

export interface StoreTransaction extends StoreReader {
	/** Of this process, while the transaction runs. */
	readonly processId: string;
	put<T extends TableName>(table: T, row: Tables[T]): Promise<void>;
	delete<T extends TableName>(table: T, id: string): Promise<void>;
	/** Appends to the ledger; rejects with LedgerRefusal, and then the whole transaction fails. */
	post(transaction: LedgerTransaction): Promise<void>;
}

export interface TransactionOptions {
	/**
	 * "durable" (default) resolves when the change survives a power cut. "deferred" resolves once the change is ordered
	 * before every later one and is written within milliseconds: for holds, whose loss in a crash equals a release.
	 */
	readonly durability?: "durable" | "deferred";
}

export interface StoreHealth {
	/** What keeps it, e.g. "journal". */
	readonly kind: string;
	/** `full`: it takes changes again by itself once there is room on the disk. */
	readonly status: "ok" | "full" | "stopped";
	/** Since when it is so: milliseconds since the epoch. */
	readonly since: number;
	/** Why the store takes no more writes; undefined while it does. */
	readonly reason: string | undefined;
	readonly sequence: number;
	/** Of the tables that it keeps; undefined where it has none. */
	readonly schemaVersion?: number | undefined;
	/** True while every frame's checksum followed from the one before it (invariant I8). */
	readonly isChainIntact: boolean;
}

/**
 * Text that must be able to vanish: A2A tasks and artifacts. One record each, deleted when its time is over. Changes are
 * durable; "deferred" ones need not be, where that spares the disk.
 */
export interface DocumentStore {
	put(id: string, text: string, expiresAt: number, options?: TransactionOptions): Promise<void>;
	get(id: string): Promise<string | undefined>;
	delete(id: string, options?: TransactionOptions): Promise<void>;
	/** Deletes what expired before `now`; returns how many. */
	sweep(now: number): Promise<number>;
}

export interface QueryLogRow {
	readonly at: number;
	readonly requestId: string;
	readonly owner: string;
	readonly operationId: string;
	readonly transport: string;
	readonly query: string | undefined;
	/** Keyed hash of the query instead of it, for accounts with zero retention. */
	readonly queryHash?: string | undefined;
	readonly decision: string | undefined;
	readonly receiptId: string | undefined;
	/** Present where the call, or a part of it, had no answer and so was not charged. */
	readonly unanswered?: UnansweredFacts | undefined;
}

export interface UnansweredFacts {
	/** List price of what had no answer, in USD. */
	readonly priceUsd: string;
	/** Graphs that the call named; none where it asked all of them. */
	readonly graphIds: readonly string[];
	/** Places of the lines of `query` without an answer, where others had one. */
	readonly places?: readonly number[] | undefined;
}

/** Days as `YYYY-MM-DD`; without one of them the span has no end on that side. */
export interface DaySpan {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
}

/** Query text for billing and telemetry, in daily segments that are deleted whole. Best effort: never delays a call. */
export interface QueryLog {
	append(row: QueryLogRow): void;
	/** Deletes the segments of days before `day` (`YYYY-MM-DD`); returns how many. */
	dropBefore(day: string): Promise<number>;
	/** Rows of one owner that reached the disk, oldest first, read in small parts. */
	read(owner: string): AsyncIterable<QueryLogRow>;
	/** Rows of all owners that reached the disk, of UTC days from `from` to `to`, both included, oldest day first. */
	readDays(span: DaySpan): AsyncIterable<QueryLogRow>;
	/** Overwrites the rows of one owner where they stand, durable before it resolves; returns how many. */
	erase(owner: string): Promise<number>;
}

export interface StatementRequest {
	readonly limit: number;
	/** From the page before; the newest postings without it. */
	readonly cursor?: string | undefined;
}

export interface StatementPage {
	readonly postings: readonly LedgerTransaction[];
	readonly next: string | undefined;
}

export interface ReceiptPage {
	readonly receipts: readonly ReceiptRow[];
	readonly next: string | undefined;
}

export interface Store {
	/**
	 * Runs `work` alone against the current state; its writes commit together or not at all. `work` awaits nothing but the
	 * transaction's own methods. Rejects with ServiceError UNAVAILABLE once the store has stopped: the outcome is unknown,
	 * and a retry with the same idempotency key decides.
	 */
	transaction<T>(
		work: (tx: StoreTransaction) => Promise<T>,
		options?: TransactionOptions,
	): Promise<T>;
	read<T>(work: (tx: StoreReader) => Promise<T>): Promise<T>;
	/** Rows of a hot table, read in small parts: each part is of one moment, all of them are not. */
	rows<T extends TableName>(table: T): AsyncIterable<Tables[T]>;
	/** What each transaction since the beginning left in the books, oldest first, read back from disk in small parts. */
	history(): AsyncIterable<CommittedTransaction>;
	/**
	 * Postings that touched `cust:<owner>` or `held:<owner>`, newest first, read back from disk. One question looks at a
	 * bounded part of the journal: a page may be short, or empty, and still have a next one.
	 */
	statement(owner: string, page: StatementRequest): Promise<StatementPage>;
	/** Receipts of one owner since a moment, newest first, read back as `statement` is. */
	receipts(
		owner: string,
		page: StatementRequest & { readonly since: number },
	): Promise<ReceiptPage>;
	/** Reads the journal again and shows what it holds; throws when it does not add up, and then nothing shown counts. */
	verify(
		options?: VerifyOptions,
	): Promise<{ readonly transactions: number; readonly frames: number }>;
	/** Of everything that was committed up to a place, the last one by default; undefined where there is no such place yet. */
	digest(at?: number): Promise<StoreDigest | undefined>;
	/**
	 * Copies everything that is durable at one moment into an empty or missing folder, while transactions go on. Rejects, and
	 * then nothing there passes for a backup, unless all of it is on the disk.
	 */
	backup(folder: string, options?: BackupOptions): Promise<StoreBackup>;
	readonly processes: StoreProcesses;
	readonly documents: DocumentStore;
	readonly queryLog: QueryLog;
	health(): StoreHealth;
	close(): Promise<void>;
}

/** Those that work on the same books; an id is never given twice. */
export interface StoreProcesses {
	/** Whether there may be others than this one. */
	readonly isShared: boolean;
	/** Of this one; another after it was taken for ended and came back. */
	ownId(): string;
	/** Of all that have not ended, this one included. */
	alive(): Promise<readonly string[]>;
}

/** What the same commits alone give, in the same order. */
export interface StoreDigest {
	/** Place of the last commit. */
	readonly sequence: number;
	/** 64 hexadecimal digits. */
	readonly sha256: string;
}

export interface StoreBackup {
	readonly transactions: number;
	readonly sequence: number;
	/** When the ledger and its rows were looked at; text that can vanish may be of a moment after. */
	readonly createdAt: number;
	/** Within its folder: the file that names all others, each with its hash. */
	readonly manifest: string;
	readonly files: number;
	readonly bytes: number;
}

export interface BackupOptions {
	readonly onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

/**
 * The ledger as lines of JSON, oldest first: postings and receipts of each transaction, money as
 * decimal strings.
 */
export async function* exportLedger(store: Pick<Store, "history">): AsyncGenerator<string> {
	for await (const committed of store.history()) yield toLine(committed);
}

function toLine({ postings, receipts }: CommittedTransaction): string {
	return JSON.stringify({ postings, receipts }, (_name, value: unknown) =>
		typeof value === "bigint" ? value.toString() : value,
	);
}
