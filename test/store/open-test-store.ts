import { type Clock, systemClock } from "../../src/kernel/clock.js";
import type { FileSystem } from "../../store/journal/file-system.js";
import {
	type JournalStore,
	type JournalStoreDeps,
	openJournalStore,
} from "../../store/journal/journal-store.js";
import type { ProcessTable } from "../../store/journal/lock.js";
import type { TokenRow } from "../../store/rows/account-rows.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import type { LedgerEntry, LedgerTransaction, Store } from "../../store/store-port.js";
import { createFakeDisk, type FakeDisk } from "./fake-disk.js";

export const FOLDER = "/store";
export const START_MS = Date.parse("2026-03-01T12:00:00Z");

export interface StillClock extends Clock {
	set(ms: number): void;
}

/** Stands still until advanced; short delays pass, long ones (the mark's) never end. */
export function stillClock(startMs = START_MS): StillClock {
	let nowMs = startMs;
	return {
		now: () => nowMs,
		monotonicMs: systemClock.monotonicMs,
		every: () => () => undefined,
		after: (delayMs, task, waits) =>
			delayMs < 200 ? systemClock.after(delayMs, task, waits) : () => undefined,
		set(ms) {
			nowMs = ms;
		},
	};
}

/** Waits of a second pass when the test says so. */
export function steppedClock(): StillClock & { pass(): void } {
	const waiting = new Set<() => void>();
	const clock = stillClock();
	return {
		...clock,
		after(delayMs, task, ...more) {
			if (delayMs < 200) return clock.after(delayMs, task, ...more);
			waiting.add(task);
			return () => waiting.delete(task);
		},
		pass() {
			const due = [...waiting];
			waiting.clear();
			for (const task of due) task();
		},
	};
}

let lastPid = 0;

/** Every store belongs to another process, and all earlier ones have died. */
function loneProcess(): ProcessTable {
	const pid = ++lastPid;
	return {
		self: () => ({ pid, host: "test", started: "" }),
		stateOf: (process) => (process.pid === pid ? "running" : "gone"),
	};
}

export function openOn(
	fileSystem: FileSystem = createFakeDisk(),
	{ clock = stillClock(), ...rest }: Partial<JournalStoreDeps> = {},
): Promise<JournalStore> {
	return openJournalStore({
		folder: FOLDER,
		clock,
		fileSystem,
		processes: loneProcess(),
		...rest,
	});
}

/** Opens a store on a disk, lets it work and leaves it without closing, as a crash does. */
export async function crashAfter(
	disk: FakeDisk,
	work: (store: Store) => Promise<unknown>,
): Promise<FakeDisk> {
	await work(await openOn(disk));
	return disk.copy();
}

export function posting(
	key: string,
	entries: Readonly<Record<string, bigint>>,
	changes: Partial<LedgerTransaction> = {},
): LedgerTransaction {
	return {
		id: `txn_${key}`,
		key,
		kind: "adjust",
		at: START_MS,
		entries: Object.entries(entries).map(
			([account, amountMicros]): LedgerEntry => ({ account, amountMicros }),
		),
		ref: "ref",
		...changes,
	};
}

export function credit(
	store: Store,
	account: string,
	amountMicros: bigint,
	key = `credit:${account}`,
) {
	const entries = { "cash:manual": -amountMicros, [account]: amountMicros };
	return store.transaction((tx) => tx.post(posting(key, entries)));
}

export function tokenRow(id: string, changes: Partial<TokenRow> = {}): TokenRow {
	return {
		id,
		hash: `hash of ${id}`,
		environment: "test",
		label: "a label with\nnewline, “quotes” and \u0000",
		status: "active",
		createdAt: START_MS,
		expiresAt: undefined,
		maxPerCallMicros: 500_000n,
		skills: [],
		graphs: ["energy"],
		...changes,
	};
}

export function receiptRow(id: string, changes: Partial<ReceiptRow> = {}): ReceiptRow {
	return {
		id,
		holdId: id.replace("rcpt", "hold"),
		transactionId: id.replace("rcpt", "txn"),
		owner: "tok_a",
		rail: "spt",
		operationId: "graphs.search",
		billingType: "per_call",
		amountMicros: 500_000n,
		balanceAfterMicros: 1_000_000n,
		fingerprint: "f".repeat(43),
		at: START_MS,
		...changes,
	};
}

export function balanceOf(store: Store, account: string): Promise<bigint> {
	return store.read((reader) => reader.balance(account));
}

/** What the store holds, in comparable form; absent and undefined members are the same. */
export async function contentsOf(store: Store): Promise<string> {
	const contents = await store.read(async (reader) => ({
		balances: [...(await reader.balances())].sort(),
		tables: await Promise.all(
			(["holds", "tokens", "accounts", "keys", "quotas", "idempotency", "tasks"] as const).map(
				async (table) => await reader.list(table),
			),
		),
	}));
	return JSON.stringify(contents, (_key, value: unknown) => {
		if (typeof value === "bigint") return `${value}n`;
		if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
		return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
	});
}
