import type { InvariantGuard } from "../../../payments/audit/audit.js";
import type { OnchainPayments } from "../../../payments/onchain/onchain.js";
import type { RefundPayouts, Sweeper } from "../../../payments/refunds/refunds.js";
import type { Store } from "../../../store/store.js";
import { endLapsedGrants, sweepOwned } from "../../accounts/accounts.js";
import { LIMITS } from "../../contract/contract.js";
import { type Clock, type Logger, toIsoDay } from "../../kernel/kernel.js";
import type { TrustedTime } from "./trusted-time.js";

const HOUR_MS = 3_600_000;

/** Starts what must happen again and again; the returned function begins nothing more and waits for what is under way. */
export function startHousekeeping(deps: {
	readonly sweeper: Sweeper;
	readonly guard: InvariantGuard;
	/** Payments on a chain; undefined while none is configured. */
	readonly onchain: OnchainPayments | undefined;
	readonly refundPayouts?: RefundPayouts;
	/** Holds the ledger against the chain so often; undefined where none can be read, or it is not to. */
	readonly chainBooks?:
		| {
				readonly reconcile: () => Promise<{ readonly status: "ok" | "differs" }>;
				readonly everyMs: number;
		  }
		| undefined;
	readonly retention: Retention;
	readonly time: TrustedTime;
	readonly clock: Clock;
	readonly logger: Logger;
	/** Whether this process does it, of those that share the books. */
	readonly isLeader: () => boolean;
}): () => Promise<void> {
	const { sweeper, guard, onchain, refundPayouts, chainBooks, retention } = deps;
	const { time, clock, logger, isLeader } = deps;
	const running = new Set<Promise<void>>();
	const stopping = new AbortController();
	const run = (name: string, task: () => Promise<unknown>): void => {
		const done: Promise<void> = task()
			.then(() => undefined)
			.catch((error: unknown) => logger.error(`${name} failed`, { error: String(error) }))
			.finally(() => running.delete(done));
		running.add(done);
	};
	const every = (intervalMs: number, name: string, task: () => Promise<unknown>) =>
		clock.every(intervalMs, () => run(name, task));
	const checkInvariants = async () => {
		const { failures } = await guard.check();
		if (failures.length > 0) logger.error("the ledger's invariants are breached", { failures });
	};
	const purge = async () => {
		if (!isLeader() || !(await time.check())) return;
		const { rows_removed: rows } = await retention.purge();
		if (Object.keys(rows).length > 0) logger.info("what is past its time was deleted", { rows });
	};
	// The first check adds up the whole journal, the later ones what came since.
	run("check of invariants", checkInvariants);
	run("purge of what is past its time", purge);
	const reconcile = async () =>
		isLeader() ? onchain?.reconcile(stopping.signal) : onchain?.refresh();
	run("reconciliation of payments", reconcile);
	const reconcileRefunds = async () => (isLeader() ? refundPayouts?.reconcile() : undefined);
	const compare = async () => {
		if (!isLeader() || (await chainBooks?.reconcile())?.status !== "differs") return;
		const help = "tollgraph ledger reconcile shows what differs";
		logger.error("the ledger and the chain differ", { help });
	};
	run("comparison of ledger and chain", compare);
	const stops = [
		...(chainBooks ? [every(chainBooks.everyMs, "comparison of ledger and chain", compare)] : []),
		every(LIMITS.sweepIntervalMs, "sweep of holds", async () => {
			if (isLeader()) await sweeper.sweep();
		}),
		every(LIMITS.reconcileIntervalMs, "reconciliation of payments", reconcile),
		every(LIMITS.invariantIntervalMs, "check of invariants", checkInvariants),
		every(LIMITS.invariantIntervalMs, "reconciliation of refunds", reconcileRefunds),
		every(HOUR_MS, "purge of what is past its time", purge),
	];
	return async () => {
		for (const stop of stops) stop();
		stopping.abort();
		await Promise.all(running);
	};
}

export interface RetentionDeps {
	readonly store: Pick<Store, "documents" | "queryLog" | "read" | "transaction">;
	readonly sweeper: { forgetExpired(): Promise<unknown> };
	/** Payments on a chain; undefined while none is configured. */
	readonly onchain?: { forgetExpired(): Promise<unknown> } | undefined;
	/** Forgets finished A2A tasks whose time is over. */
	readonly sweepTasks: (now: number) => Promise<void>;
	/** Erases what erased accounts left behind after all. */
	readonly finishErasures?: (() => Promise<void>) | undefined;
	readonly clock: Clock;
}

export type Retention = ReturnType<typeof createRetention>;

/** Spec: What the service does, 6: query text goes after 12 months, result text when its pick-up time is over. */
export function createRetention(deps: RetentionDeps) {
	const { store, sweeper, onchain, sweepTasks, finishErasures, clock } = deps;
	return {
		/** Forgets everything whose time is over; throws an AggregateError of the parts that could not, after all have been tried. Money is never forgotten: ledger, receipts and usage hold no text. */
		async purge() {
			const now = clock.now();
			const keptFrom = monthsBefore(now, LIMITS.queryLogMonths);
			// Text first, and each for itself: what cannot be forgotten today must not keep the rest.
			const failures: unknown[] = [];
			const trying = <T>(work: () => Promise<T> | undefined): Promise<T | undefined> =>
				(async () => work())().catch((error: unknown) => {
					failures.push(error);
					return undefined;
				});
			const days = await trying(() => store.queryLog.dropBefore(keptFrom));
			await trying(() => sweepTasks(now));
			const rows = await trying(() => sweepOwned(store, now));
			await trying(() => finishErasures?.());
			await trying(() => endLapsedGrants(store, clock));
			const documents = await trying(() => store.documents.sweep(now));
			await trying(() => sweeper.forgetExpired());
			await trying(() => onchain?.forgetExpired());
			if (failures.length > 0) {
				throw new AggregateError(
					failures,
					`Not everything could be forgotten: ${failures.join("; ")}`,
				);
			}
			return {
				/** First UTC day whose queries are still kept. */
				queries_kept_from: keptFrom,
				/** Days of the query log whose files were removed. */
				query_days_removed: days ?? 0,
				/** Results awaiting pick-up and task artifacts whose time was over. */
				documents_removed: documents ?? 0,
				/** What callers had left here or paid for, such as chats, reports and schedules: rows by table. */
				rows_removed: rows ?? {},
			};
		},
	};
}

/** The UTC day some calendar months ago; where that month is shorter, the first day of the next: nothing is kept too long. */
function monthsBefore(now: number, months: number): string {
	const date = new Date(now);
	return toIsoDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, date.getUTCDate()));
}
