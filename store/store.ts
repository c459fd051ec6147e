import type { Micros } from "../src/core/money.js";
import type {
	AccountName,
	AccountRow,
	ArtefactRow,
	BriefingRunRow,
	ChatRow,
	ConnectionRow,
	FeedbackRow,
	HoldRow,
	IdempotencyRow,
	JobRow,
	KeyRow,
	OAuthRow,
	PaymentRow,
	QuotaRow,
	ReceiptRow,
	RefundRow,
	ScheduleRow,
	SettlementRow,
	SpendingRow,
	StreamRow,
	TaskRow,
	TokenRow,
	UsageRow,
	WebhookDeliveryRow,
	WebhookRow,
} from "./rows.js";
import type { BackupOptions, StoreBackup } from "./store-backup.js";

export type {
	AccountName,
	AccountRow,
	ArtefactRow,
	BriefingRunRow,
	ChatRow,
	ConnectionRow,
	FeedbackRow,
	HoldRow,
	IdempotencyRow,
	JobRow,
	KeyRow,
	OAuthRow,
	PaymentRow,
	PaymentState,
	QuotaRow,
	ReceiptRow,
	RefundRow,
	ScheduleChannel,
	ScheduleRenewal,
	ScheduleRow,
	SpendingRow,
	StreamRow,
	TaskRow,
	TokenRow,
	UsageCount,
	UsageRow,
	WebhookDeliveryRow,
	WebhookRow,
} from "./rows.js";
export type { BackupOptions, StoreBackup } from "./store-backup.js";

/**
 * Persistence behind one port: everything that must survive a crash goes through `transaction`.
 * Adapters: store/journal (lowdb over an append journal, one process). Records name money `…Micros`: bigint in memory.
 */

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
	/** Hold, receipt or token id. */
	readonly ref: string;
	readonly memo?: string | undefined;
}

/** What one store transaction left in the books; transactions that moved no money and wrote no receipt leave nothing. */
export interface CommittedTransaction {
	readonly postings: readonly LedgerTransaction[];
	readonly receipts: readonly ReceiptRow[];
}

export interface VerifyOptions {
	/** Only what came after the last sound look. */
	readonly sinceLast?: boolean;
	readonly onTransaction?: ((committed: CommittedTransaction) => void) | undefined;
}

export interface Tables {
	holds: HoldRow;
	tokens: TokenRow;
	accounts: AccountRow;
	keys: KeyRow;
	quotas: QuotaRow;
	idempotency: IdempotencyRow;
	receipts: ReceiptRow;
	tasks: TaskRow;
	payments: PaymentRow;
	refunds: RefundRow;
	spending: SpendingRow;
	settlements: SettlementRow;
	connections: ConnectionRow;
	usage: UsageRow;
	feedback: FeedbackRow;
	artefacts: ArtefactRow;
	schedules: ScheduleRow;
	briefing_runs: BriefingRunRow;
	streams: StreamRow;
	chats: ChatRow;
	jobs: JobRow;
	webhooks: WebhookRow;
	webhook_deliveries: WebhookDeliveryRow;
	oauth_records: OAuthRow;
}
export type TableName = keyof Tables;

/** Fields a table can be searched by; equality only. Adapters keep these indexed. */
export const TABLE_INDEXES = {
	holds: ["owner"],
	tokens: ["hash", "parentId", "owner"],
	accounts: ["subjectHash"],
	keys: ["hash", "previousHash", "accountId"],
	quotas: [],
	idempotency: [],
	receipts: [],
	tasks: ["owner"],
	payments: ["owner"],
	refunds: ["ref"],
	spending: [],
	settlements: [],
	connections: ["hash", "accountId"],
	usage: ["accountId"],
	feedback: ["owner"],
	artefacts: ["owner"],
	schedules: ["owner"],
	briefing_runs: ["owner", "scheduleId"],
	streams: ["owner"],
	chats: ["key", "owner"],
	jobs: ["owner"],
	webhooks: ["owner"],
	webhook_deliveries: ["owner", "webhookId", "state"],
	oauth_records: ["owner", "keyId"],
} as const satisfies { [T in TableName]: readonly (keyof Tables[T])[] };

/** Receipts are many and rarely read: written once, found again by the time in their id. */
export const COLD_TABLES: ReadonlySet<TableName> = new Set<TableName>(["receipts"]);

export const LEDGER_KEY_WINDOW_MS = 48 * 3_600_000;

export interface StoreReader {
	get<T extends TableName>(table: T, id: string): Promise<Tables[T] | undefined>;
	findBy<T extends TableName>(
		table: T,
		index: (typeof TABLE_INDEXES)[T][number],
		value: string,
	): Promise<readonly Tables[T][]>;
	/** Rows in id order; hot tables only. */
	list<T extends TableName>(table: T): Promise<readonly Tables[T][]>;
	balance(account: AccountName): Promise<Micros>;
	/** Every account that ever had an entry. */
	balances(): Promise<ReadonlyMap<AccountName, Micros>>;
}

export interface StoreTransaction extends StoreReader {
	put<T extends TableName>(table: T, row: Tables[T]): Promise<void>;
	delete<T extends TableName>(table: T, id: string): Promise<void>;
	/** Appends to the ledger; rejects with LedgerRefusal, and then the whole transaction fails. */
	post(transaction: LedgerTransaction): Promise<void>;
}

/** Entries must sum to zero, `cust:` and `held:` accounts never go below zero, a key is used once. */
export class LedgerRefusal extends Error {
	readonly reason: "unbalanced" | "negative" | "duplicate_key";
	constructor(reason: LedgerRefusal["reason"], message: string) {
		super(message);
		this.name = "LedgerRefusal";
		this.reason = reason;
	}
}

export interface TransactionOptions {
	/**
	 * "durable" (default) resolves when the change survives a power cut. "deferred" resolves once the change is ordered
	 * before every later one and is written within milliseconds: for holds, whose loss in a crash equals a release.
	 */
	readonly durability?: "durable" | "deferred";
}

export interface StoreHealth {
	readonly status: "ok" | "stopped";
	/** Why the store takes no more writes; undefined while it does. */
	readonly reason: string | undefined;
	readonly sequence: number;
	/** True while every frame's checksum followed from the one before it (invariant I8). */
	readonly isChainIntact: boolean;
}

/** Text that must be able to vanish: A2A tasks and artefacts. One record each, deleted when its time is over. */
export interface DocumentStore {
	put(id: string, text: string, expiresAt: number): Promise<void>;
	get(id: string): Promise<string | undefined>;
	delete(id: string): Promise<void>;
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
	/** Keyed hash of the query instead of it, for accounts that keep no text. */
	readonly queryHash?: string | undefined;
	readonly decision: string | undefined;
	readonly receiptId: string | undefined;
}

/** Query text for billing and telemetry, in daily segments that are deleted whole. Best effort: never delays a call. */
export interface QueryLog {
	append(row: QueryLogRow): void;
	/** Deletes the segments of days before `day` (`YYYY-MM-DD`); returns how many. */
	dropBefore(day: string): Promise<number>;
	/** Rows of one owner that reached the disk, oldest first, read in small parts. */
	read(owner: string): AsyncIterable<QueryLogRow>;
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
	/** Undefined when nothing older is left. */
	readonly next: string | undefined;
}

export interface ReceiptPage {
	readonly receipts: readonly ReceiptRow[];
	/** Undefined when nothing older is left. */
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
	/**
	 * Copies everything that is durable at one moment into an empty or missing folder, while transactions go on. Rejects, and
	 * then nothing there passes for a backup, unless all of it is on the disk.
	 */
	backup(folder: string, options?: BackupOptions): Promise<StoreBackup>;
	readonly documents: DocumentStore;
	readonly queryLog: QueryLog;
	health(): StoreHealth;
	close(): Promise<void>;
}
