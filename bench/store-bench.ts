/** Durable transactions of the journal store, beside SQLite and beside a bare append and fdatasync on the same disk. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../src/kernel/clock.js";
import { createIds, type Ids, systemRandom } from "../src/kernel/ids.js";
import { nodeFileSystem } from "../store/journal/file-system.js";
import { openJournalStore } from "../store/journal/journal-store.js";
import { loadSqlite, type Sqlite } from "./better-sqlite3.js";
import {
	CALLERS,
	type CommitFigures,
	type CommitRound,
	measureDisk,
	runCallers,
	summarize,
} from "./commit-rounds.js";
import { median, toFourDigits } from "./figures.js";
import { endowmentOf, sampleFrame, sell } from "./sale.js";
import { openSqliteLedger, SQLITE_FORMS, type SqliteForm } from "./sqlite-ledger.js";

/** Many and short: what else the disk does then slows all stores alike. */
const ROUNDS = 15;

export interface StoreFigures extends CommitFigures {
	/** Milliseconds from a closed store with this many transactions to an open one. */
	readonly reopen: { readonly transactions: number; readonly ms: number };
}

export interface StoreReport {
	/** Bare appends of one frame's size, each followed by fdatasync, in the same rounds as the stores. */
	readonly fdatasync_per_s: number;
	readonly frame_bytes: number;
	/** Of better-sqlite3 and SQLite; or why they were not measured, and what to do. */
	readonly sqlite: string;
	/** The journal and, where better-sqlite3 is installed, each form of SQLite. */
	readonly stores: Readonly<Record<string, StoreFigures>>;
}

interface MeasuredStore {
	/** Resolves when one more sale is durable. */
	sell(): Promise<void>;
	/** Closes it and opens it once more. */
	reopen(): Promise<StoreFigures["reopen"]>;
}

/** Measures each store for about `seconds` per number of callers, in rounds that alternate with the baseline. */
export async function benchStore({
	seconds,
	folder,
	sqliteFolder,
}: {
	seconds: number;
	folder: string;
	/** Where better-sqlite3 is installed; without it, this package's folder. */
	sqliteFolder?: string | undefined;
}): Promise<StoreReport> {
	mkdirSync(folder, { recursive: true });
	const ids = createIds({ clock: systemClock, random: systemRandom });
	const sqlite = loadSqlite(sqliteFolder);
	const isThere = !("missing" in sqlite);
	const stores: Record<string, MeasuredStore> = {
		journal: await openJournal(join(folder, "journal"), ids),
		...(isThere ? openForms(sqlite, { folder, ids }) : {}),
	};
	const frameBytes = sampleFrame(ids).length;
	const sliceMs = (seconds * 1000) / ROUNDS;
	const disk = () => measureDisk(join(folder, "bare"), { frameBytes, ms: sliceMs / 2 });
	const rounds = await measure(stores, { disk, sliceMs });
	const figures: Record<string, StoreFigures> = {};
	for (const [name, store] of Object.entries(stores)) {
		figures[name] = { ...summarize(byCallers(rounds, name)), reopen: await store.reopen() };
	}
	return {
		fdatasync_per_s: toFourDigits(median(rounds.map(({ bare }) => bare))),
		frame_bytes: frameBytes,
		sqlite: isThere ? `better-sqlite3 ${sqlite.version}, SQLite ${sqlite.sqlite}` : sqlite.missing,
		stores: figures,
	};
}

interface StoreRound extends CommitRound {
	readonly name: string;
	readonly callers: number;
}

async function measure(
	stores: Readonly<Record<string, MeasuredStore>>,
	{ disk, sliceMs }: { disk: () => number; sliceMs: number },
): Promise<StoreRound[]> {
	for (const { sell } of Object.values(stores)) await runCallers(sell, { callers: 16, ms: 300 });
	const rounds: StoreRound[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		for (const callers of CALLERS) {
			const bare = disk();
			const measured = [];
			// None always follows the same other one, whose writes the disk may still be busy with.
			for (const [name, { sell }] of rotate(Object.entries(stores), round)) {
				measured.push({ ...(await runCallers(sell, { callers, ms: sliceMs })), name, callers });
			}
			const journal = measured.find(({ name }) => name === "journal")?.perSecond ?? Number.NaN;
			rounds.push(...measured.map((figures) => ({ ...figures, bare, journal })));
		}
	}
	return rounds;
}

function rotate<T>(list: readonly T[], by: number): T[] {
	const start = by % list.length;
	return [...list.slice(start), ...list.slice(0, start)];
}

function byCallers(rounds: readonly StoreRound[], name: string) {
	const own = rounds.filter((round) => round.name === name);
	return new Map(
		CALLERS.map((callers) => [callers, own.filter((round) => round.callers === callers)]),
	);
}

async function openJournal(folder: string, ids: Ids): Promise<MeasuredStore> {
	const open = () => openJournalStore({ folder, clock: systemClock, fileSystem: nodeFileSystem });
	const store = await open();
	await store.transaction((tx) => tx.post(endowmentOf(ids)));
	return {
		sell: () => store.transaction((tx) => sell(tx, ids)),
		async reopen() {
			const { transactions } = await store.verify();
			await store.close();
			const startedMs = performance.now();
			const reopened = await open();
			const ms = toFourDigits(performance.now() - startedMs);
			await reopened.close();
			return { transactions, ms };
		},
	};
}

function openForms(sqlite: Sqlite, { folder, ids }: { folder: string; ids: Ids }) {
	return Object.fromEntries(
		(Object.keys(SQLITE_FORMS) as SqliteForm[]).map((form): [string, MeasuredStore] => {
			const open = () => openSqliteLedger(sqlite, { path: join(folder, form), ids, form });
			const ledger = open();
			const reopen: MeasuredStore["reopen"] = async () => {
				const transactions = ledger.postings();
				ledger.close();
				const startedMs = performance.now();
				const reopened = open();
				const ms = toFourDigits(performance.now() - startedMs);
				reopened.close();
				return { transactions, ms };
			};
			return [form, { sell: ledger.sell, reopen }];
		}),
	);
}

/** A row for each store and number of callers, for people. */
export function toStoreLines({ fdatasync_per_s, sqlite, stores }: StoreReport): string[] {
	const row = (name: string, figures: readonly (string | number)[]) =>
		[name.padEnd(28), ...figures.map((figure) => String(figure).padStart(11))].join("");
	const rows = Object.entries(stores).flatMap(([name, figures]) =>
		CALLERS.map((callers) => {
			const of = (key: keyof CommitFigures) => figures[key][`${callers}`];
			const rates = [of("commits_per_s"), of("over_journal")];
			const latencies = [of("p50_ms"), of("p99_ms")];
			return row(name, [callers, ...rates, ...latencies, of("cpu_us"), of("loop_busy")]);
		}),
	);
	return [
		row("store", ["callers", "commits/s", "/ journal", "p50 ms", "p99 ms", "cpu us", "loop busy"]),
		...rows,
		`${fdatasync_per_s} bare appends with fdatasync per second. ${sqlite}`,
	];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-store-bench-"));
	try {
		const report = await benchStore({ seconds: 5, folder });
		process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
