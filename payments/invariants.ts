import { type Clock, toIsoTime } from "../src/core/clock.js";
import { ServiceError } from "../src/core/errors.js";
import { LIMITS } from "../src/core/limits.js";
import { formatUsd, type Micros } from "../src/core/money.js";
import type { HoldRow, Store } from "../store/store.js";

/** One look at the ledger's invariants; `failures` are sentences, empty when all hold. */
export interface InvariantReport {
	readonly status: "ok" | "breached";
	readonly checkedAt: string;
	readonly failures: readonly string[];
	/** How much the journal holds; undefined when it was not read, or could not be. */
	readonly journal: { readonly transactions: number; readonly frames: number } | undefined;
}

interface CheckOptions {
	readonly full?: boolean;
	readonly history?: boolean;
}

export interface InvariantGuard {
	/**
	 * Checks I1 to I5 and I8. For I2 the journal is added up: what came since the last check, the whole of it with `full`,
	 * none of it without `history`.
	 */
	check(options?: CheckOptions): Promise<InvariantReport>;
	/** The latest report. */
	latest(): InvariantReport;
	/** False after a breach: nothing is sold until an operator has looked; reading goes on. */
	isSelling(): boolean;
}

type Balances = ReadonlyMap<string, Micros>;

/**
 * Invariants of PAYMENTS: a breach stops selling, never reading, and stays one until a full check finds the ledger sound.
 * A journal that cannot be read at the moment is no breach: the next check looks again.
 */
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
		journal: undefined,
	};
	const check = async ({
		full = false,
		history = true,
	}: CheckOptions): Promise<InvariantReport> => {
		const added = history ? await addUp(store, !full) : undefined;
		const found = [...(await checkNow(store, clock.now())), ...(added?.failures ?? [])];
		const isCleared = full && added?.journal !== undefined;
		const failures = isCleared ? found : [...new Set([...latest.failures, ...found])];
		latest = {
			status: failures.length === 0 ? "ok" : "breached",
			checkedAt: toIsoTime(clock.now()),
			failures,
			journal: added?.journal,
		};
		return latest;
	};
	let last: Promise<unknown> = Promise.resolve();

	return {
		check(options = {}) {
			// One after the other: a slow check that began earlier must not overwrite a later one.
			const report = last.then(() => check(options));
			last = report.catch(() => undefined);
			return report;
		},
		latest: () => latest,
		isSelling: () => latest.status === "ok",
	};
}

/** Balances and holds of one instant. */
async function checkNow(store: Store, now: number): Promise<string[]> {
	const { balances, holds } = await store.read(async (reader) => ({
		balances: new Map(await reader.balances()),
		holds: await reader.list("holds"),
	}));
	return [
		...checkSum(balances),
		...checkSigns(balances),
		...checkHeld(balances, holds),
		...checkExpiry(holds, now),
		...(store.health().isChainIntact ? [] : ["I8: the journal's chain of checksums is broken."]),
	];
}

type Added = Pick<InvariantReport, "journal" | "failures">;

/** I2 from the journal's own bytes: in full, or what was added since the last look. */
function addUp(store: Store, sinceLast: boolean): Promise<Added> {
	return store.verify({ sinceLast }).then(
		(journal): Added => ({ journal, failures: [] }),
		(error: unknown): Added => {
			const isPassing = error instanceof ServiceError && error.retryable;
			const sentence = error instanceof Error ? error.message : String(error);
			return { journal: undefined, failures: isPassing ? [] : [`I2: ${sentence}`] };
		},
	);
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

function isHeld(account: string): boolean {
	return account.startsWith("held:");
}

function total(amounts: Iterable<Micros>): Micros {
	let sum = 0n;
	for (const amount of amounts) sum += amount;
	return sum;
}
