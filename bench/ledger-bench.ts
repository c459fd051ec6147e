/** What a payment costs when the ledger is long, beside the same payment on a short one, and how long a restart takes then. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createLedger, custAccount, type Ledger, toReceipt } from "../payments/ledger.js";
import { systemClock } from "../src/kernel/clock.js";
import { createIds, systemRandom } from "../src/kernel/ids.js";
import { PACKAGE_ROOT } from "../src/kernel/package-info.js";
import { nodeFileSystem } from "../store/journal/file-system.js";
import { openJournalStore } from "../store/journal/journal-store.js";
import type { Store } from "../store/store-port.js";
import { end } from "./child.js";
import { median, toFourDigits } from "./figures.js";

const SHORT = 1_000;
const LONG = 1_000_000;
const ROUNDS = 10;
const PAYMENTS_PER_ROUND = 4_000;
const CALLERS = 16;
const OWNER = "tok_bench";
const PRICE_MICROS = 500_000n;

interface LedgerFigures {
	readonly transactions: number;
	readonly cpu_us_per_payment: number;
	readonly ms_per_payment: number;
	/** Opening the closed store again. */
	readonly reopen_ms: number;
	/** From process start to ready, as the server itself says. */
	readonly restart_ready_ms: number;
}

export interface LedgerReport {
	readonly callers: number;
	readonly short: LedgerFigures;
	readonly long: LedgerFigures;
	/** Median over rounds of long / short, CPU; each pair measured one after the other. */
	readonly long_over_short_cpu: number;
	readonly long_over_short_time: number;
}

interface Billing {
	readonly folder: string;
	readonly store: Store;
	readonly ledger: Ledger;
	pay(): Promise<void>;
}

interface Round {
	readonly cpuUs: number;
	readonly ms: number;
}

/** Alternates short and long ledger round by round, so that a drifting machine touches both alike. */
export async function benchLedger(folder: string): Promise<LedgerReport> {
	const short = await fill(join(folder, "short"), SHORT);
	const long = await fill(join(folder, "long"), LONG);
	const rounds: { short: Round[]; long: Round[] } = { short: [], long: [] };
	for (let round = 0; round <= ROUNDS; round++) {
		const order = round % 2 === 0 ? (["short", "long"] as const) : (["long", "short"] as const);
		for (const which of order) {
			const measured = await measure(which === "short" ? short : long);
			// The first round warms both up.
			if (round > 0) rounds[which].push(measured);
		}
	}
	const ratio = (figure: (round: Round) => number) =>
		toFourDigits(
			median(
				rounds.long.map((round, index) => figure(round) / figure(rounds.short[index] ?? round)),
			),
		);
	return {
		callers: CALLERS,
		short: await toFigures(short, rounds.short),
		long: await toFigures(long, rounds.long),
		long_over_short_cpu: ratio(({ cpuUs }) => cpuUs),
		long_over_short_time: ratio(({ ms }) => ms),
	};
}

async function fill(folder: string, transactions: number): Promise<Billing> {
	const billing = await openBilling(folder);
	const { store, ledger } = billing;
	await store.transaction((tx) =>
		ledger.credit(tx, {
			owner: OWNER,
			source: "promo:demo",
			amountMicros: 10n ** 15n,
			key: "endow",
		}),
	);
	let paid = 0;
	const caller = async () => {
		while (paid < transactions / 2) {
			paid += 1;
			await billing.pay();
		}
	};
	await Promise.all(Array.from({ length: 256 }, caller));
	return billing;
}

async function openBilling(folder: string): Promise<Billing> {
	const store = await open(folder);
	const clock = systemClock;
	const ledger = createLedger({ clock, ids: createIds({ clock, random: systemRandom }) });
	const terms = {
		from: custAccount(OWNER),
		owner: OWNER,
		rail: "spt",
		amountMicros: PRICE_MICROS,
		operationId: "graphs.search",
		billingType: "per_call",
		idempotencyId: undefined,
	} as const;
	return {
		folder,
		store,
		ledger,
		// As the cashier does it: an ordered hold, then a durable capture with its receipt.
		async pay() {
			const hold = await store.transaction((tx) => ledger.authorize(tx, terms), {
				durability: "deferred",
			});
			await store.transaction(async (tx) => {
				const transactionId = await ledger.capture(tx, hold, hold.amountMicros);
				const balanceAfterMicros = await tx.balance(hold.from);
				const captured = { transactionId, paidMicros: hold.amountMicros, balanceAfterMicros };
				const facts = { fingerprint: "x".repeat(43), at: clock.now() };
				await tx.put("receipts", toReceipt(hold, captured, facts));
			});
		},
	};
}

function open(folder: string): Promise<Store> {
	return openJournalStore({
		folder: join(folder, "journal"),
		clock: systemClock,
		fileSystem: nodeFileSystem,
	});
}

async function measure({ pay }: Billing): Promise<Round> {
	const cpu = process.cpuUsage();
	const startedMs = performance.now();
	let left = PAYMENTS_PER_ROUND;
	const caller = async () => {
		while (left > 0) {
			left -= 1;
			await pay();
		}
	};
	await Promise.all(Array.from({ length: CALLERS }, caller));
	const { user, system } = process.cpuUsage(cpu);
	return {
		cpuUs: (user + system) / PAYMENTS_PER_ROUND,
		ms: (performance.now() - startedMs) / PAYMENTS_PER_ROUND,
	};
}

async function toFigures(billing: Billing, rounds: readonly Round[]): Promise<LedgerFigures> {
	const { transactions } = await billing.store.verify();
	await billing.store.close();
	const startedMs = performance.now();
	const reopened = await open(billing.folder);
	const reopenMs = performance.now() - startedMs;
	await reopened.close();
	return {
		transactions,
		cpu_us_per_payment: toFourDigits(median(rounds.map(({ cpuUs }) => cpuUs))),
		ms_per_payment: toFourDigits(median(rounds.map(({ ms }) => ms))),
		reopen_ms: toFourDigits(reopenMs),
		restart_ready_ms: await restart(billing.folder),
	};
}

/** The second start of a server on this folder: the first one builds the search index. */
async function restart(folder: string): Promise<number> {
	await startServer(folder);
	return startServer(folder);
}

async function startServer(folder: string): Promise<number> {
	const entry = join(PACKAGE_ROOT, "bin", "start.mjs");
	const server = spawn(process.execPath, [entry, "--json", "--port", "0", "--data", folder], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	try {
		for await (const line of createInterface({ input: server.stdout })) {
			return (JSON.parse(line) as { ready_ms: number }).ready_ms;
		}
		throw new Error("The server ended before it was ready.");
	} finally {
		await end(server, "SIGTERM");
	}
}
