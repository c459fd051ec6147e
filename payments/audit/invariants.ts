import { LIMITS } from "../../src/contract/contract.js";
import {
	type Clock,
	formatUsd,
	type Micros,
	ServiceError,
	toIsoTime,
} from "../../src/kernel/kernel.js";
import type { HoldRow, IdempotencyRow, RefundRow, Store, StoreReader } from "../../store/store.js";
import { isPayout, isShareAccount, REFUNDS_ACCOUNT } from "../payments.js";
import {
	checkRefund,
	confirmDoubts,
	createHistoryTally,
	type HistoryTally,
	type MarkOf,
	type RetryRows,
} from "./invariants-history.js";

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

export type InvariantGuard = ReturnType<typeof createInvariantGuard>;

/** A breach stops selling, never reading, until a full check succeeds; a journal that cannot be read at the moment is no breach. */
export function createInvariantGuard({
	store,
	clock,
	markOf,
}: {
	store: Store;
	clock: Clock;
	/** Maps payments to 64 bits; salted by default, fixed in tests. */
	markOf?: MarkOf;
}) {
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
		const books = await readBooks(store, clock.now());
		const added = history
			? await addUp(store, { full, refunds: books.refunds, markOf })
			: undefined;
		const found = [...checkBalances(books), ...(added?.failures ?? [])];
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
		/** Checks I1 to I11 against what the journal gained since the last check; `full` reads all of it and compares every retry key with its receipt. */
		check(options: CheckOptions = {}): Promise<InvariantReport> {
			// One after the other: a slow check that began earlier must not overwrite a later one.
			const report = last.then(() => check(options));
			last = report.catch(() => undefined);
			return report;
		},
		latest: (): InvariantReport => latest,
		/** False after a breach: selling stops until a full check succeeds, reading continues. */
		isSelling: (): boolean => latest.status === "ok",
	};
}

/** Balances and open rows of one instant. */
async function readBooks(store: Store, now: number) {
	const books = await store.read(async (reader) => {
		const holds = await reader.list("holds");
		return {
			balances: await reader.balances(),
			holds,
			refunds: await reader.list("refunds"),
			/** The idempotency rows that open holds name. */
			attempts: await readAttempts(reader, holds),
		};
	});
	return { ...books, now, isChainIntact: store.health().isChainIntact };
}

async function readAttempts(
	reader: StoreReader,
	holds: readonly HoldRow[],
): Promise<ReadonlyMap<string, IdempotencyRow>> {
	const found = new Map<string, IdempotencyRow>();
	for (const { idempotencyId } of holds) {
		const row = idempotencyId && (await reader.get("idempotency", idempotencyId));
		if (row) found.set(row.id, row);
	}
	return found;
}

/** The journal's own bytes, in full or what was added since the last look: I2, and what each transaction must be. */
async function addUp(
	store: Store,
	options: { full: boolean; refunds: readonly RefundRow[]; markOf: MarkOf | undefined },
): Promise<Pick<InvariantReport, "journal" | "failures">> {
	const { full, refunds, markOf } = options;
	const rows = full ? await readRetryRows(store) : undefined;
	const tally = createHistoryTally({ refunds, rows, markOf });
	try {
		const journal = await store.verify({ sinceLast: !full, onTransaction: tally.see });
		const failures = [
			...tally.failures(),
			...(await confirmDoubts(tally.doubts(), () => store.history())),
			...(await checkRefunds(store, tally)),
		];
		return { journal, failures };
	} catch (error) {
		const isPassing = error instanceof ServiceError && error.retryable;
		const sentence = error instanceof Error ? error.message : String(error);
		return { journal: undefined, failures: isPassing ? [] : [`I2: ${sentence}`] };
	}
}

/** Retry keys are as many as the calls of a day: they are read in parts, and those in flight again, at one instant with the holds. */
async function readRetryRows(store: Store): Promise<RetryRows> {
	const answered = new Map<string, string>();
	const begun: string[] = [];
	for await (const { id, state, receiptId, fingerprint } of store.rows("idempotency")) {
		if (state === "in_flight") begun.push(id);
		else if (receiptId !== undefined) answered.set(receiptId, fingerprint);
	}
	return store.read(async (reader) => {
		const inFlight: IdempotencyRow[] = [];
		for (const id of begun) {
			const row = await reader.get("idempotency", id);
			if (row?.state === "in_flight") inFlight.push(row);
		}
		return { answered, inFlight, holds: await reader.list("holds") };
	});
}

/** I9 of every receipt that was refunded in what was read, earlier refunds included. */
async function checkRefunds(store: Store, tally: HistoryTally): Promise<string[]> {
	const failures: string[] = [];
	for (const { receiptId, refundedMicros, chargedMicros } of tally.refunded()) {
		const found = await store.read(async (reader) => ({
			receipt: chargedMicros === undefined ? await reader.get("receipts", receiptId) : undefined,
			rows: await reader.findBy("refunds", "ref", receiptId),
		}));
		const charged = chargedMicros ?? found.receipt?.amountMicros;
		const inRows = found.rows.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
		for (const sum of new Set([refundedMicros, inRows])) {
			failures.push(...checkRefund({ receiptId, refundedMicros: sum, chargedMicros: charged }));
		}
	}
	return failures;
}

type BooksNow = Awaited<ReturnType<typeof readBooks>>;

/** The invariants that show in one instant; a sentence for each breach. */
function checkBalances(books: BooksNow): string[] {
	return [
		...checkSum(books),
		...checkSigns(books),
		...checkHeld(books),
		...checkExpiry(books),
		...(books.isChainIntact ? [] : ["I8: the journal's chain of checksums is broken."]),
		...checkPendingRefunds(books),
		...checkOwed(books),
		...checkHoldsHaveAttempts(books),
	];
}

function checkSum({ balances }: BooksNow): string[] {
	const sum = total(balances.values());
	return sum === 0n ? [] : [`I1: all entries sum to ${formatUsd(sum)} USD, not to zero.`];
}

function checkSigns({ balances }: BooksNow): string[] {
	return [...balances]
		.filter(([account, amount]) => /^(cust|held):/.test(account) && amount < 0n)
		.map(([account, amount]) => `I3: ${account} is at ${formatUsd(amount)} USD.`);
}

function checkHeld({ balances, holds }: BooksNow): string[] {
	const expected = new Map<string, Micros>();
	for (const hold of holds) {
		expected.set(hold.held, (expected.get(hold.held) ?? 0n) + hold.amountMicros);
	}
	const accounts = new Set([
		...expected.keys(),
		...[...balances.keys()].filter((account) => account.startsWith("held:")),
	]);
	return [...accounts].flatMap((account) => {
		const [held, open] = [balances.get(account) ?? 0n, expected.get(account) ?? 0n];
		return held === open
			? []
			: [`I4: ${account} holds ${formatUsd(held)} USD, its open holds ${formatUsd(open)} USD.`];
	});
}

function checkExpiry({ holds, now }: BooksNow): string[] {
	// Twice the sweep, so that a sweep under way is not taken for a missing one.
	const deadline = now - 2 * LIMITS.sweepIntervalMs;
	return holds
		.filter((hold) => hold.expiresAt < deadline)
		.map((hold) => `I5: ${hold.id} is still open, long after its expiry.`);
}

/** Money on its way back lies in `refunds` until it is paid, no more and no less. */
function checkPendingRefunds({ balances, refunds }: BooksNow): string[] {
	const held = balances.get(REFUNDS_ACCOUNT) ?? 0n;
	const open = refunds.filter(({ state }) => state !== "paid");
	const expected = total(open.map(({ amountMicros }) => amountMicros));
	return held === expected
		? []
		: [
				`I9: ${REFUNDS_ACCOUNT} holds ${formatUsd(held)} USD, the refunds to be paid are ${formatUsd(expected)} USD.`,
			];
}

/** What owners were ever due is what they are owed and what was set aside to be paid. */
function checkOwed({ balances, refunds }: BooksNow): string[] {
	const owed = [...balances].filter(([account]) => isShareAccount(account));
	const sum = total(owed.map(([, micros]) => micros));
	const setAside = total(refunds.filter(isPayout).map(({ amountMicros }) => amountMicros));
	return sum + setAside === 0n
		? []
		: [
				`I11: owners' shares do not add up: ${formatUsd(sum)} USD are owed beyond them, ${formatUsd(setAside)} USD were set aside for payouts.`,
			];
}

/** Payments on a chain keep their retry key themselves. */
function checkHoldsHaveAttempts({ holds, attempts }: BooksNow): string[] {
	return holds
		.filter(({ idempotencyId, paymentId }) => idempotencyId !== undefined && !paymentId)
		.filter((hold) => {
			const row = attempts.get(hold.idempotencyId ?? "");
			return row?.state !== "in_flight" || row.holdId !== hold.id;
		})
		.map((hold) => `I10: ${hold.id} is open, its idempotency row is not in flight under it.`);
}

function total(amounts: Iterable<Micros>): Micros {
	let sum = 0n;
	for (const amount of amounts) sum += amount;
	return sum;
}
