import type { Clock } from "../src/core/clock.js";
import type { HoldRow, Store } from "../store/store.js";
import type { Ledger, ReleaseReason } from "./ledger.js";

export interface Sweeper {
	/** Releases every hold past its expiry and forgets idempotency rows and quota counters past theirs; returns how many holds. */
	sweep(): Promise<number>;
	/** Releases every open hold: at start, no call of an earlier process can still capture one. */
	releaseAll(): Promise<number>;
}

/** No hold stays open: what nobody captured goes back to its owner. */
export function createSweeper({
	store,
	ledger,
	clock,
}: {
	store: Store;
	ledger: Ledger;
	clock: Clock;
}): Sweeper {
	const release = (isDue: (hold: HoldRow) => boolean, reason: ReleaseReason) =>
		store.transaction(async (tx) => {
			const due = (await tx.list("holds")).filter(isDue);
			for (const hold of due) await ledger.release(tx, hold, reason);
			return due.length;
		});

	return {
		async sweep() {
			const now = clock.now();
			const released = await release((hold) => hold.expiresAt <= now, "expired");
			await forgetExpired(store, now);
			return released;
		},
		releaseAll: () => release(() => true, "restart"),
	};
}

async function forgetExpired(store: Store, now: number): Promise<void> {
	await store.transaction(async (tx) => {
		for (const table of ["idempotency", "quotas"] as const) {
			for (const row of await tx.list(table)) {
				if (row.expiresAt <= now) await tx.delete(table, row.id);
			}
		}
	});
}
