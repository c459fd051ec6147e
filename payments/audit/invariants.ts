import { type Clock, ServiceError, toIsoTime } from "../../src/kernel/kernel.js";
import type { HoldRow, IdempotencyRow, RefundRow, Store, StoreReader } from "../../store/store.js";
import { type BooksNow, checkBalances } from "./invariants-balances.js";
import {
	checkRefund,
	confirmDoubts,
	createHistoryTally,
	type HistoryTally,
} from "./invariants-history.js";
import type { MarkOf } from "./seen-names.js";

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
	 * Checks I1 to I10. The journal is read for it: what came since the last check, the whole of it with `full`, and then
	 * every retry key is held against its receipt; none of it without `history`.
	 */
	check(options?: CheckOptions): Promise<InvariantReport>;
	/** The latest report. */
	latest(): InvariantReport;
	/** False after a breach: nothing is sold until an operator has looked; reading goes on. */
	isSelling(): boolean;
}

/**
 * Invariants of PAYMENTS: a breach stops selling, never reading, and stays one until a full check finds the ledger sound.
 * A journal that cannot be read at the moment is no breach: the next check looks again.
 */
export function createInvariantGuard({
	store,
	clock,
	markOf,
}: {
	store: Store;
	clock: Clock;
	/** How payments are told apart; by secret marks unless a test says otherwise. */
	markOf?: MarkOf;
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

/** Balances and open rows of one instant. */
async function readBooks(store: Store, now: number): Promise<BooksNow> {
	const books = await store.read(async (reader) => {
		const holds = await reader.list("holds");
		return {
			balances: await reader.balances(),
			holds,
			refunds: await reader.list("refunds"),
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

type Added = Pick<InvariantReport, "journal" | "failures">;

/** The journal's own bytes, in full or what was added since the last look: I2, and what each transaction must be. */
async function addUp(
	store: Store,
	{
		full,
		refunds,
		markOf,
	}: { full: boolean; refunds: readonly RefundRow[]; markOf: MarkOf | undefined },
): Promise<Added> {
	const rows = full ? await store.read(readRetryRows) : undefined;
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

async function readRetryRows(reader: StoreReader) {
	return { idempotency: await reader.list("idempotency"), holds: await reader.list("holds") };
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
