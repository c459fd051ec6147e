import type { InvariantGuard } from "../../payments/audit/audit.js";
import type { OnchainPayments } from "../../payments/onchain/onchain.js";
import type { RefundPayouts, Sweeper } from "../../payments/refunds/refunds.js";
import { LIMITS } from "../contract/contract.js";
import type { Clock, Logger } from "../kernel/kernel.js";
import type { Retention } from "./retention.js";

export interface HousekeepingDeps {
	readonly sweeper: Sweeper;
	readonly guard: InvariantGuard;
	/** Payments on a chain; undefined while none is configured. */
	readonly onchain: OnchainPayments | undefined;
	readonly refundPayouts?: RefundPayouts;
	readonly retention: Retention;
	readonly clock: Clock;
	readonly logger: Logger;
}

const HOUR_MS = 3_600_000;

/** Starts what must happen again and again; the returned function begins nothing more and waits for what is under way. */
export function startHousekeeping(deps: HousekeepingDeps): () => Promise<void> {
	const { sweeper, guard, onchain, refundPayouts, retention, clock, logger } = deps;
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
	// The first check adds up the whole journal, the later ones what came since.
	run("check of invariants", checkInvariants);
	run("purge of what is past its time", retention.purge);
	const reconcile = async () => onchain?.reconcile(stopping.signal);
	run("reconciliation of payments", reconcile);
	const reconcileRefunds = async () => refundPayouts?.reconcile();
	const stops = [
		every(LIMITS.sweepIntervalMs, "sweep of holds", () => sweeper.sweep()),
		every(LIMITS.reconcileIntervalMs, "reconciliation of payments", reconcile),
		every(LIMITS.invariantIntervalMs, "check of invariants", checkInvariants),
		every(LIMITS.invariantIntervalMs, "reconciliation of refunds", reconcileRefunds),
		every(HOUR_MS, "purge of what is past its time", retention.purge),
	];
	return async () => {
		for (const stop of stops) stop();
		stopping.abort();
		await Promise.all(running);
	};
}
