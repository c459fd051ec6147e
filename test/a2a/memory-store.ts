import type {
	AccountName,
	CommittedTransaction,
	Store,
	StoreReader,
	StoreTransaction,
} from "../../store/store-port.js";
import { LedgerRefusal } from "../../store/store-port.js";
import type { TableName, Tables } from "../../store/tables.js";

type Rows = { [T in TableName]: Map<string, Tables[T]> };

interface State {
	rows: Rows;
	balances: Map<AccountName, bigint>;
	keys: Set<string>;
}

let restarts = 0;

/** The store port in memory, one transaction at a time; `texts` and `rows` outlive it, so that a restart can be played. */
export function createMemoryStore(disk = createDisk()): Store & { readonly disk: Disk } {
	const processId = `proc_${restarts++}`;
	let last: Promise<unknown> = Promise.resolve();
	const alone = <T>(work: () => Promise<T>): Promise<T> => {
		const done = last.then(work);
		last = done.catch(() => undefined);
		return done;
	};
	return {
		disk,
		transaction: (work) =>
			alone(async () => {
				const draft = copyOf(disk.state);
				const result = await work(writerOf(draft, processId));
				disk.state = draft;
				return result;
			}),
		read: (work) => work(readerOf(disk.state, processId)),
		async *rows(table) {
			yield* await readerOf(disk.state, processId).list(table);
		},
		statement: async () => ({ postings: [], next: undefined }),
		receipts: async () => ({ receipts: [], next: undefined }),
		async *history() {
			yield* disk.history;
		},
		verify: async () => ({ transactions: disk.history.length, frames: 0 }),
		digest: async () => undefined,
		backup: async () => {
			throw new Error("a store in memory has no backup");
		},
		processes: { isShared: false, ownId: () => processId, alive: async () => [processId] },
		documents: {
			async put(id, text, expiresAt) {
				disk.texts.set(id, { text, expiresAt });
			},
			get: async (id) => disk.texts.get(id)?.text,
			async delete(id) {
				disk.texts.delete(id);
			},
			async sweep(now) {
				const expired = [...disk.texts].filter(([, { expiresAt }]) => expiresAt < now);
				for (const [id] of expired) disk.texts.delete(id);
				return expired.length;
			},
		},
		queryLog: {
			append: () => undefined,
			dropBefore: async () => 0,
			async *read() {},
			async *readDays() {},
			erase: async () => 0,
		},
		health: () => ({
			kind: "memory",
			status: "ok",
			since: 0,
			reason: undefined,
			sequence: 0,
			isChainIntact: true,
		}),
		close: async () => {},
	};
}

export interface Disk {
	state: State;
	readonly history: CommittedTransaction[];
	readonly texts: Map<string, { readonly text: string; readonly expiresAt: number }>;
}

function createDisk(): Disk {
	const rows = {
		holds: new Map(),
		tokens: new Map(),
		accounts: new Map(),
		keys: new Map(),
		quotas: new Map(),
		idempotency: new Map(),
		receipts: new Map(),
		tasks: new Map(),
		waiting_tasks: new Map(),
		payments: new Map(),
		payment_marks: new Map(),
		refunds: new Map(),
		refund_requests: new Map(),
		undelivered: new Map(),
		invoices: new Map(),
		counters: new Map(),
		spending: new Map(),
		settlements: new Map(),
		connections: new Map(),
		usage: new Map(),
		feedback: new Map(),
		artefacts: new Map(),
		schedules: new Map(),
		briefing_runs: new Map(),
		streams: new Map(),
		chats: new Map(),
		turn_queues: new Map(),
		jobs: new Map(),
		webhooks: new Map(),
		webhook_deliveries: new Map(),
		oauth_records: new Map(),
		operators: new Map(),
		operator_requests: new Map(),
		operator_sessions: new Map(),
		audit: new Map(),
		price_versions: new Map(),
		feed_settings: new Map(),
		key_checks: new Map(),
		leaders: new Map(),
		trusted_times: new Map(),
	};
	return {
		state: { rows, balances: new Map(), keys: new Set() },
		history: [],
		texts: new Map(),
	};
}

function copyOf({ rows, balances, keys }: State): State {
	const copies = Object.entries(rows).map(([name, table]) => [
		name,
		new Map(table as Map<string, never>),
	]);
	return {
		rows: Object.fromEntries(copies) as Rows,
		balances: new Map(balances),
		keys: new Set(keys),
	};
}

function readerOf({ rows, balances }: State, processId: string): StoreReader {
	const sorted = <T extends TableName>(table: T) =>
		[...rows[table].values()].sort((a, b) => (a.id < b.id ? -1 : 1)) as Tables[T][];
	return {
		get: async (table, id) => rows[table].get(id) as never,
		findBy: async (table, index, value) =>
			sorted(table).filter((row) => row[index as keyof typeof row] === value),
		list: async (table) => sorted(table),
		balance: async (account) => balances.get(account) ?? 0n,
		balances: async () => balances,
		isAlive: async (id) => id === processId,
	};
}

function writerOf(draft: State, processId: string): StoreTransaction {
	return {
		...readerOf(draft, processId),
		processId,
		async put(table, row) {
			(draft.rows[table] as Map<string, typeof row>).set(row.id, row);
		},
		async delete(table, id) {
			draft.rows[table].delete(id);
		},
		async post({ key, entries }) {
			if (key !== undefined && draft.keys.has(key)) throw new LedgerRefusal("duplicate_key", key);
			if (key !== undefined) draft.keys.add(key);
			for (const { account, amountMicros } of entries) {
				const balance = (draft.balances.get(account) ?? 0n) + amountMicros;
				if (balance < 0n && /^(cust|held):/.test(account)) {
					throw new LedgerRefusal("negative", account);
				}
				draft.balances.set(account, balance);
			}
		},
	};
}
