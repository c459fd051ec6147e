/** Paid calls of the ledger alone (a hold that is not waited for, a durable capture with its receipt) in a database and in a journal. */
import { createLedger, toReceipt } from "../payments/ledger.js";
import { systemClock } from "../src/kernel/clock.js";
import { createIds, systemRandom } from "../src/kernel/ids.js";
import { nodeFileSystem } from "../store/journal/file-system.js";
import { openJournalStore } from "../store/journal/journal-store.js";
import { openPostgresStore } from "../store/postgres/postgres.js";
import type { Store } from "../store/store.js";
import { runCallers } from "./commit-rounds.js";
import { median, toFourDigits } from "./figures.js";
import { atMost } from "./search/bars.js";

const CALLERS = [1, 16, 64] as const;
const ROUNDS = 5;
const ROUND_MS = 3_000;
const PRICE_MICROS = 500_000n;

interface Figures {
	readonly calls_per_s: number;
	/** Transactions; a call is two. */
	readonly commits_per_s: number;
	readonly p50_ms: number;
	readonly p99_ms: number;
	/** Processor time of a call in this process; the database's own comes on top. */
	readonly cpu_us: number;
}

const FILLING_CALLERS = 64;
const SMALL = 1_000;
const GROWTH_MAX = 1.2;

/** What a paid call costs where the books hold so many transactions, over what it costs where they hold a thousand. */
export async function benchGrowth(url: string | undefined, transactions: number) {
	if (url === undefined) throw new Error("The part growth needs --store-url postgres://…");
	const sizes = { small: SMALL, grown: transactions };
	const calls: [string, ReturnType<typeof payingCalls>][] = [];
	const stores: Store[] = [];
	for (const [name, size] of Object.entries(sizes)) {
		const schema = `growth_${name}_${process.pid}`;
		const store = await openPostgresStore({ url, schema, clock: systemClock, connections: 16 });
		const one = payingCalls(store);
		await one.endow();
		await fill(one.pay, size / 2);
		stores.push(store);
		calls.push([name, one]);
	}
	const rounds = await measure(calls, [FILLING_CALLERS]);
	for (const store of stores) await store.close();
	const of = (name: string) => rounds.filter((one) => one.name === `${name} ${FILLING_CALLERS}`);
	const ratios = of("grown").map(
		({ perSecond }, at) => (of("small")[at]?.perSecond ?? 0) / perSecond,
	);
	const ratio = toFourDigits(median(ratios));
	return {
		...{ transactions, small: summarize(of("small")), grown: summarize(of("grown")), ratio },
		bars: [
			atMost("time of a paid call in grown books, over that in small ones", ratio, GROWTH_MAX),
		],
	};
}

async function fill(pay: () => Promise<void>, calls: number): Promise<void> {
	let next = 0;
	const caller = async () => {
		while (next++ < calls) await pay();
	};
	await Promise.all(Array.from({ length: FILLING_CALLERS }, caller));
}

/** By store and by parallel callers, each with a token of its own: medians of rounds that alternate. */
export async function benchPostgres(folder: string, url: string | undefined) {
	if (url === undefined) throw new Error("The part postgres needs --store-url postgres://…");
	const schema = `bench_${process.pid}`;
	const stores = {
		journal: await openJournalStore({ folder, clock: systemClock, fileSystem: nodeFileSystem }),
		postgres: await openPostgresStore({ url, schema, clock: systemClock, connections: 64 }),
	};
	const calls = Object.entries(stores).map(([name, store]) => [name, payingCalls(store)] as const);
	for (const [, { endow }] of calls) await endow();
	const rounds = await measure(calls);
	const { transactions } = await stores.postgres.verify();
	for (const store of Object.values(stores)) await store.close();
	const names = [...new Set(rounds.map(({ name }) => name))];
	const figures = names.map((name) => [
		name,
		summarize(rounds.filter((round) => round.name === name)),
	]);
	return { ...Object.fromEntries(figures), verified_transactions: transactions };
}

type Round = Awaited<ReturnType<typeof runCallers>>;

interface MeasuredRound extends Round {
	/** `<store> <callers>` */
	readonly name: string;
}

async function measure(
	calls: readonly (readonly [string, ReturnType<typeof payingCalls>])[],
	counts: readonly number[] = CALLERS,
): Promise<readonly MeasuredRound[]> {
	const turns = Array.from({ length: ROUNDS + 1 }, (_, round) =>
		counts.flatMap((callers) =>
			(round % 2 === 0 ? calls : calls.toReversed()).map(([store, { pay }]) => ({
				...{ name: `${store} ${callers}`, round, callers, pay },
			})),
		),
	);
	const rounds: MeasuredRound[] = [];
	for (const { name, round, callers, pay } of turns.flat()) {
		const figures = await runCallers(pay, { callers, ms: ROUND_MS });
		// The first round warms up.
		if (round > 0) rounds.push({ ...figures, name });
	}
	return rounds;
}

function summarize(list: readonly Round[]): Figures {
	const perSecond = median(list.map((one) => one.perSecond));
	const latencies = list.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
	const at = (share: number) => toFourDigits(latencies[Math.floor(latencies.length * share)] ?? 0);
	return {
		calls_per_s: toFourDigits(perSecond),
		commits_per_s: toFourDigits(2 * perSecond),
		p50_ms: at(0.5),
		p99_ms: at(0.99),
		cpu_us: toFourDigits(median(list.map(({ cpuUs }) => cpuUs))),
	};
}

function payingCalls(store: Store) {
	const ids = createIds({ clock: systemClock, random: systemRandom });
	const ledger = createLedger({ clock: systemClock, ids });
	const owners = Array.from({ length: Math.max(...CALLERS) }, (_, index) => `tok_${index}`);
	const idle = [...owners];
	return {
		async endow() {
			for (const owner of owners) {
				const terms = {
					owner,
					source: "cash:manual",
					amountMicros: 10n ** 15n,
					key: `endow ${owner}`,
				};
				await store.transaction((tx) => ledger.credit(tx, terms));
			}
		},
		async pay(): Promise<void> {
			const owner = idle.pop() ?? "tok_0";
			const terms = {
				...{ from: `cust:${owner}`, owner, rail: "spt", amountMicros: PRICE_MICROS },
				...{ operationId: "graphs.search", billingType: "per_call" as const },
				idempotencyId: undefined,
			};
			const hold = await store.transaction((tx) => ledger.authorize(tx, terms), {
				durability: "deferred",
			});
			await store.transaction(async (tx) => {
				const transactionId = await ledger.capture(tx, hold, PRICE_MICROS);
				const balanceAfterMicros = await tx.balance(`cust:${owner}`);
				const captured = { transactionId, paidMicros: PRICE_MICROS, balanceAfterMicros };
				const facts = { fingerprint: "x".repeat(43), at: systemClock.now() };
				await tx.put("receipts", toReceipt(hold, captured, facts));
			});
			idle.push(owner);
		},
	};
}
