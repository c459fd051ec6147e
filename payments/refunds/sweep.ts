import { isOpenJob, LIMITS, type ReleaseReason } from "../../src/contract/contract.js";
import type { Clock } from "../../src/kernel/kernel.js";
import type { HoldRow, Store, StoreReader, StoreTransaction } from "../../store/store.js";
import type { Ledger } from "../payments.js";
import { foldUsage } from "../plan/plan.js";

const FORGET_AT_ONCE = 500;
const RELEASE_AT_ONCE = 100;
const EXPIRING = [
	"idempotency",
	"quotas",
	"spending",
	"operator_requests",
	"operator_sessions",
] as const;

export type Sweeper = ReturnType<typeof createSweeper>;

/** Releases holds that were never captured. */
export function createSweeper(deps: { store: Store; ledger: Ledger; clock: Clock }) {
	const { store, clock } = deps;
	return {
		/** Releases every hold past its expiry, but for those of open jobs, which are renewed; returns how many. */
		sweep(): Promise<number> {
			const isDue = ({ expiresAt }: HoldRow) => expiresAt <= clock.now();
			return release(deps, {
				reason: "expired",
				mayBeDue: isDue,
				isDue: async (_, hold) => isDue(hold),
			});
		},
		/** Forgets retry keys and counters of quotas and limits past their time, and folds days of usage into months. */
		async forgetExpired(): Promise<void> {
			await forgetExpired(store, clock.now());
			await foldUsage(store, clock.now());
		},
		/** Releases what processes held that have ended, but for their open jobs; returns how many. */
		async releaseEnded(): Promise<number> {
			const alive = new Set(await store.processes.alive());
			const mayBeDue = ({ processId }: HoldRow) => processId === undefined || !alive.has(processId);
			return release(deps, { reason: "restart", mayBeDue, isDue: isOfEnded });
		},
	};
}

/** True where no call can still capture it. */
async function isOfEnded(reader: StoreReader, { processId }: HoldRow): Promise<boolean> {
	return processId === undefined || !(await reader.isAlive(processId));
}

interface Releasing {
	readonly reason: ReleaseReason;
	/** Of a row that was read a moment ago. */
	readonly mayBeDue: (hold: HoldRow) => boolean;
	readonly isDue: (reader: StoreReader, hold: HoldRow) => Promise<boolean>;
}

/** In small transactions, so that calls get their turn in between; each hold is judged again inside. */
async function release(
	{ store, ledger, clock }: { store: Store; ledger: Ledger; clock: Clock },
	{ reason, mayBeDue, isDue }: Releasing,
): Promise<number> {
	const open = await store.read((reader) => reader.list("holds"));
	const due = open.filter(mayBeDue).map(({ id }) => id);
	let released = 0;
	const releaseOne = async (tx: StoreTransaction, id: string): Promise<number> => {
		const hold = await tx.get("holds", id);
		if (!hold || !(await isDue(tx, hold))) return 0;
		if (await isOwned(tx, hold)) {
			if (hold.expiresAt > clock.now() + LIMITS.holdTtlMs / 2) return 0;
			await tx.put("holds", { ...hold, expiresAt: clock.now() + LIMITS.holdTtlMs });
			return 0;
		}
		await ledger.release(tx, hold, reason);
		await freePayment(tx, hold, clock.now());
		return 1;
	};
	for (let start = 0; start < due.length; start += RELEASE_AT_ONCE) {
		released += await store.transaction(async (tx) => {
			let count = 0;
			for (const id of due.slice(start, start + RELEASE_AT_ONCE)) count += await releaseOne(tx, id);
			return count;
		});
	}
	return released;
}

/** A job's hold ends with the job; one whose job is deleted is released. */
async function isOwned(tx: StoreTransaction, { jobId }: HoldRow): Promise<boolean> {
	const job = jobId === undefined ? undefined : await tx.get("jobs", jobId);
	return job !== undefined && isOpenJob(job.state);
}

/** Money that settled for a call which then ended stays its payer's: to be delivered for, or credited. */
async function freePayment(tx: StoreTransaction, hold: HoldRow, now: number): Promise<void> {
	if (hold.paymentId === undefined) return;
	const row = await tx.get("payments", hold.paymentId);
	if (row?.state !== "settled" || row.holdId !== hold.id) return;
	await tx.put("payments", { ...row, holdId: undefined, updatedAt: now });
}

/** In small transactions, so that calls get their turn in between. */
async function forgetExpired(store: Store, now: number): Promise<void> {
	for (const table of EXPIRING) {
		const rows = await store.read((reader) => reader.list(table));
		const expired = rows.filter((row) => row.expiresAt <= now).map((row) => row.id);
		for (let start = 0; start < expired.length; start += FORGET_AT_ONCE) {
			const ids = expired.slice(start, start + FORGET_AT_ONCE);
			const forget = (tx: StoreTransaction) => forgetRows(tx, { table, ids, now });
			await store.transaction(forget, { durability: "deferred" });
		}
	}
}

/** A row may have been renewed since it was listed. */
async function forgetRows(
	tx: StoreTransaction,
	{ table, ids, now }: { table: (typeof EXPIRING)[number]; ids: readonly string[]; now: number },
): Promise<void> {
	for (const id of ids) {
		const row = await tx.get(table, id);
		if (!row || row.expiresAt > now) continue;
		// A job may outlive the key it was begun with.
		const holdId = "holdId" in row && row.state === "in_flight" ? row.holdId : undefined;
		if (holdId !== undefined && (await tx.get("holds", holdId))) continue;
		await tx.delete(table, id);
	}
}
