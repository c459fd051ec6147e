import { type Clock, toIsoTime } from "../src/core/clock.js";
import { LIMITS } from "../src/core/limits.js";
import { formatUsd, type Micros } from "../src/core/money.js";
import type { HoldRow, Store } from "../store/store.js";

/** One look at the ledger's invariants; `failures` are sentences, empty when all hold. */
export interface InvariantReport {
	readonly status: "ok" | "breached";
	readonly checkedAt: string;
	readonly failures: readonly string[];
}

export interface InvariantGuard {
	/** Checks I1, I3, I4, I5 and I8 against the live state; with `full`, I2 as well by adding up the whole history. */
	check(options?: { full?: boolean }): Promise<InvariantReport>;
	/** The latest report. */
	latest(): InvariantReport;
	/** False after a breach: nothing is sold until an operator has looked; reading goes on. */
	isSelling(): boolean;
}

type Balances = ReadonlyMap<string, Micros>;

/** Invariants of PAYMENTS: a breach stops selling, never reading. */
export function createInvariantGuard({
	store,
	clock,
}: {
	store: Store;
	clock: Clock;
}): InvariantGuard {
	let latest: InvariantReport = {
		status: "ok",
		checkedAt: toIsoTime(clock.now()),
		failures: [],
	};

	return {
		async check({ full = false } = {}) {
			// One transaction of no writes: balances and holds of the same instant.
			const { balances, holds } = await store.read(async (reader) => ({
				balances: new Map(await reader.balances()),
				holds: await reader.list("holds"),
			}));
			const failures = [
				...checkSum(balances),
				...checkSigns(balances),
				...checkHeld(balances, holds),
				...checkExpiry(holds, clock.now()),
				...(store.health().isChainIntact
					? []
					: ["I8: the journal's chain of checksums is broken."]),
				...(full ? await checkHistory(store) : []),
			];
			latest = {
				status: failures.length === 0 ? "ok" : "breached",
				checkedAt: toIsoTime(clock.now()),
				failures,
			};
			return latest;
		},
		latest: () => latest,
		isSelling: () => latest.status === "ok",
	};
}

function checkSum(balances: Balances): string[] {
	const sum = total(balances.values());
	return sum === 0n ? [] : [`I1: all entries sum to ${formatUsd(sum)} USD, not to zero.`];
}

function checkSigns(balances: Balances): string[] {
	return [...balances]
		.filter(([account, amount]) => /^(cust|held):/.test(account) && amount < 0n)
		.map(([account, amount]) => `I3: ${account} is at ${formatUsd(amount)} USD.`);
}

function checkHeld(balances: Balances, holds: readonly HoldRow[]): string[] {
	const expected = new Map<string, Micros>();
	for (const hold of holds) {
		expected.set(hold.held, (expected.get(hold.held) ?? 0n) + hold.amountMicros);
	}
	const accounts = new Set([...expected.keys(), ...[...balances.keys()].filter(isHeld)]);
	return [...accounts].flatMap((account) => {
		const [held, open] = [balances.get(account) ?? 0n, expected.get(account) ?? 0n];
		return held === open
			? []
			: [`I4: ${account} holds ${formatUsd(held)} USD, its open holds ${formatUsd(open)} USD.`];
	});
}

function checkExpiry(holds: readonly HoldRow[], now: number): string[] {
	// Twice the sweep, so that a sweep under way is not taken for a missing one.
	const deadline = now - 2 * LIMITS.sweepIntervalMs;
	return holds
		.filter((hold) => hold.expiresAt < deadline)
		.map((hold) => `I5: ${hold.id} is still open, long after its expiry.`);
}

/** I2 from the journal alone; transactions that commit meanwhile are seen by both sides or make it look again. */
async function checkHistory(store: Store): Promise<string[]> {
	for (let attempt = 0; attempt < 3; attempt++) {
		const before = store.health().sequence;
		const sums = new Map<string, Micros>();
		for await (const { entries } of store.history()) {
			for (const { account, amountMicros } of entries) {
				sums.set(account, (sums.get(account) ?? 0n) + amountMicros);
			}
		}
		const balances = await store.read(async (reader) => new Map(await reader.balances()));
		if (store.health().sequence !== before) continue;
		const accounts = new Set([...sums.keys(), ...balances.keys()]);
		return [...accounts].flatMap((account) => {
			const [sum, balance] = [sums.get(account) ?? 0n, balances.get(account) ?? 0n];
			return sum === balance
				? []
				: [`I2: ${account} is at ${formatUsd(balance)} USD, its entries at ${formatUsd(sum)} USD.`];
		});
	}
	return [];
}

function isHeld(account: string): boolean {
	return account.startsWith("held:");
}

function total(amounts: Iterable<Micros>): Micros {
	let sum = 0n;
	for (const amount of amounts) sum += amount;
	return sum;
}
