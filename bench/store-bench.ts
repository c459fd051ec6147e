/** Durable transactions of the journal store, beside what the same disk does for a bare append and fdatasync. */

import {
	closeSync,
	fdatasyncSync,
	mkdirSync,
	mkdtempSync,
	openSync,
	rmSync,
	writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { systemClock } from "../src/kernel/clock.js";
import { createIds, type Ids, systemRandom } from "../src/kernel/ids.js";
import { nodeFileSystem } from "../store/journal/file-system.js";
import { openJournalStore } from "../store/journal/journal-store.js";
import type { Store, StoreTransaction } from "../store/store-port.js";
import { median, toFourDigits } from "./figures.js";

const CALLERS = [1, 16, 256] as const;
type CallerCount = `${(typeof CALLERS)[number]}`;
const ROUNDS = 5;
const OWNER = "tok_bench";

export interface StoreReport {
	/** Bare appends of one frame's size, each followed by fdatasync, in the same rounds as the store. */
	readonly fdatasync_per_s: number;
	readonly frame_bytes: number;
	/** Durable transactions (a receipt and a posting each) per second, by parallel callers; median of the rounds. */
	readonly callers: Readonly<Record<CallerCount, number>>;
	/** The same over the bare rate of its own round; median of the rounds. */
	readonly over_fdatasync: Readonly<Record<CallerCount, number>>;
	readonly p50_ms: Readonly<Record<CallerCount, number>>;
	readonly p99_ms: Readonly<Record<CallerCount, number>>;
	/** Processor time of a transaction, all threads. */
	readonly cpu_us: Readonly<Record<CallerCount, number>>;
	/** Milliseconds from a closed store with this many transactions to an open one. */
	readonly reopen: { readonly transactions: number; readonly ms: number };
}

interface Round {
	readonly perSecond: number;
	readonly bare: number;
	readonly latenciesMs: number[];
	readonly cpuUs: number;
}

/** Measures for about `seconds` per number of callers, in rounds that alternate with the baseline. */
export async function benchStore({
	seconds,
	folder,
}: {
	seconds: number;
	folder: string;
}): Promise<StoreReport> {
	mkdirSync(folder, { recursive: true });
	const open = () =>
		openJournalStore({
			folder: join(folder, "journal"),
			clock: systemClock,
			fileSystem: nodeFileSystem,
		});
	const store = await open();
	const ids = createIds({ clock: systemClock, random: systemRandom });
	await store.transaction((tx) => endow(tx, ids));
	const frameBytes = sampleFrame(ids).length;
	await runCallers(store, ids, { callers: 16, ms: 300 });

	const sliceMs = (seconds * 1000) / ROUNDS;
	const rounds = new Map<number, Round[]>(CALLERS.map((callers) => [callers, []]));
	for (let round = 0; round < ROUNDS; round++) {
		for (const callers of CALLERS) {
			const bare = measureDisk(join(folder, "bare"), { frameBytes, ms: sliceMs / 2 });
			const measured = await runCallers(store, ids, { callers, ms: sliceMs });
			rounds.get(callers)?.push({ ...measured, bare });
		}
	}
	const { transactions } = await store.verify();
	await store.close();
	const startedMs = performance.now();
	const reopened = await open();
	const reopen = { transactions, ms: toFourDigits(performance.now() - startedMs) };
	await reopened.close();
	return { ...summarize(rounds), frame_bytes: frameBytes, reopen };
}

function summarize(
	rounds: ReadonlyMap<number, readonly Round[]>,
): Omit<StoreReport, "frame_bytes" | "reopen"> {
	const byCallers = (figure: (rounds: readonly Round[]) => number) =>
		Object.fromEntries(
			[...rounds].map(([callers, list]) => [String(callers), toFourDigits(figure(list))]),
		) as Record<CallerCount, number>;
	const percentile = (share: number) => (list: readonly Round[]) => {
		const all = list.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
		return all[Math.floor(all.length * share)] ?? 0;
	};
	return {
		fdatasync_per_s: toFourDigits(median([...rounds.values()].flat().map(({ bare }) => bare))),
		callers: byCallers((list) => median(list.map(({ perSecond }) => perSecond))),
		over_fdatasync: byCallers((list) => median(list.map((round) => round.perSecond / round.bare))),
		p50_ms: byCallers(percentile(0.5)),
		p99_ms: byCallers(percentile(0.99)),
		cpu_us: byCallers((list) => median(list.map(({ cpuUs }) => cpuUs))),
	};
}

async function runCallers(
	store: Store,
	ids: Ids,
	{ callers, ms }: { callers: number; ms: number },
): Promise<Omit<Round, "bare">> {
	const latenciesMs: number[] = [];
	const cpu = process.cpuUsage();
	const startedMs = performance.now();
	const caller = async () => {
		while (performance.now() - startedMs < ms) {
			const beganMs = performance.now();
			await store.transaction((tx) => sell(tx, ids));
			latenciesMs.push(performance.now() - beganMs);
		}
	};
	await Promise.all(Array.from({ length: callers }, caller));
	const elapsedSeconds = (performance.now() - startedMs) / 1000;
	const { user, system } = process.cpuUsage(cpu);
	const { length } = latenciesMs;
	return { perSecond: length / elapsedSeconds, latenciesMs, cpuUs: (user + system) / length };
}

/** What the disk does when nobody is in between: a growing file, a write and an fdatasync, again and again. */
function measureDisk(path: string, { frameBytes, ms }: { frameBytes: number; ms: number }): number {
	const fd = openSync(path, "w", 0o600);
	try {
		const bytes = Buffer.alloc(frameBytes, "x");
		const startedMs = performance.now();
		let count = 0;
		while (performance.now() - startedMs < ms) {
			writeSync(fd, bytes);
			fdatasyncSync(fd);
			count += 1;
		}
		return count / ((performance.now() - startedMs) / 1000);
	} finally {
		closeSync(fd);
	}
}

function endow(tx: StoreTransaction, ids: Ids): Promise<void> {
	const amountMicros = 1_000_000_000_000_000n;
	return tx.post({
		id: ids.next("txn"),
		key: "endow",
		kind: "credit",
		at: systemClock.now(),
		entries: [
			{ account: "cash:manual", amountMicros: -amountMicros },
			{ account: `cust:${OWNER}`, amountMicros },
		],
		ref: OWNER,
	});
}

async function sell(tx: StoreTransaction, ids: Ids): Promise<void> {
	const { receipt, posting } = saleOf(ids);
	await tx.put("receipts", receipt);
	await tx.post(posting);
}

function saleOf(ids: Ids) {
	const [id, transactionId, at] = [ids.next("rcpt"), ids.next("txn"), systemClock.now()];
	const amountMicros = 500_000n;
	return {
		receipt: {
			id,
			holdId: id.replace("rcpt", "hold"),
			transactionId,
			owner: OWNER,
			rail: "spt",
			operationId: "graphs.search",
			billingType: "per_call",
			amountMicros,
			balanceAfterMicros: 1_000_000n,
			fingerprint: "x".repeat(43),
			at,
		},
		posting: {
			id: transactionId,
			key: `capture:${id}`,
			kind: "capture" as const,
			at,
			entries: [
				{ account: `cust:${OWNER}`, amountMicros: -amountMicros },
				{ account: "rev:per_call", amountMicros },
			],
			ref: id,
		},
	};
}

/** As long as the frame of one sale. */
function sampleFrame(ids: Ids): string {
	const { receipt, posting } = saleOf(ids);
	const text = JSON.stringify([receipt, posting], (_key, value: unknown) =>
		typeof value === "bigint" ? value.toString() : value,
	);
	return `${"header".padEnd(44)}{"at":${systemClock.now()},"tx":[${text}]}`;
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
