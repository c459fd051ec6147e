import type { LedgerTransaction, Store, StoreTransaction } from "../../store/store.js";
import type { ReleaseReason } from "../contract/contract.js";
import type { CounterName } from "./metrics.js";
import type { Recorder } from "./recorder.js";
import { within } from "./recorder.js";
import type { WatchServices } from "./watch-calls.js";

/**
 * The same store, timed. What its ledger moves is counted once it is acknowledged: work that runs again, or is rolled back, counts
 * for nothing.
 */
export function watchStore({ recorder, clock }: WatchServices, store: Store): Store {
	const { kind } = store.health();
	recorder.observe(() => {
		const isServing = store.health().status === "ok";
		return [
			{ metric: "tollgraph_store_serving", value: Number(isServing), labels: { store: kind } },
		];
	});
	return {
		...store,
		async transaction(work, options) {
			const startedMs = clock.monotonicMs();
			let posted: LedgerTransaction[] = [];
			const labels = { store: kind, durability: options?.durability ?? "durable" };
			try {
				const result = await within(recorder, { name: "store transaction", labels }, () =>
					store.transaction((tx) => {
						posted = [];
						return work(notePostings(tx, (posting) => void posted.push(posting)));
					}, options),
				);
				for (const posting of posted) countPosting(recorder, posting);
				return result;
			} finally {
				const seconds = (clock.monotonicMs() - startedMs) / 1000;
				recorder.time("tollgraph_store_transaction_duration_seconds", seconds, labels);
			}
		},
	};
}

function notePostings(
	tx: StoreTransaction,
	note: (posting: LedgerTransaction) => void,
): StoreTransaction {
	return {
		processId: tx.processId,
		isAlive: (processId) => tx.isAlive(processId),
		get: (table, id) => tx.get(table, id),
		findBy: (table, index, value) => tx.findBy(table, index, value),
		list: (table) => tx.list(table),
		balance: (account) => tx.balance(account),
		balances: () => tx.balances(),
		put: (table, row) => tx.put(table, row),
		delete: (table, id) => tx.delete(table, id),
		async post(posting) {
			await tx.post(posting);
			note(posting);
		},
	};
}

/** Kinds that are not here move money that no call is about. */
const COUNTED: Partial<Record<LedgerTransaction["kind"], CounterName>> = {
	authorise: "tollgraph_holds_total",
	capture: "tollgraph_captures_total",
	release: "tollgraph_releases_total",
	settle: "tollgraph_settlements_total",
	refund: "tollgraph_refunds_total",
};

function countPosting(recorder: Recorder, { kind, memo, entries }: LedgerTransaction): void {
	const counter = COUNTED[kind];
	if (counter) recorder.count(counter, kind === "release" ? { reason: toReason(memo) } : {});
	if (kind !== "capture") return;
	const earned = entries.filter(({ account }) => account.startsWith("rev:"));
	const micros = earned.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
	recorder.count("tollgraph_captured_usd_total", {}, Number(micros) / 1_000_000);
}

const REASONS: Readonly<Record<ReleaseReason, true>> = {
	no_answer: true,
	failed: true,
	client_gone: true,
	timeout: true,
	expired: true,
	cancelled: true,
	restart: true,
};

/** A memo is free text elsewhere. */
function toReason(memo: string | undefined): string {
	return memo !== undefined && Object.hasOwn(REASONS, memo) ? memo : "other";
}
