import type { LedgerRefusal, Store } from "../../store/store-port.js";
import type { StillClock } from "./open-test-store.js";

/** One store and the way to close it and open it again with what it kept. */
export interface StoreUnderTest {
	readonly store: Store;
	readonly clock: StillClock;
	reopen(): Promise<Store>;
	/** Cuts the power, and opens what that left. */
	crash(): Promise<Store>;
	/** What work has cost so far, counted and not timed. */
	cost(): Cost;
}

export interface Cost {
	/** In memory now. */
	readonly entries: number;
	/** Of the disk or the database. */
	readonly calls: number;
	readonly bytesRead: number;
	readonly bytesWritten: number;
}

export type OpenStore = () => Promise<StoreUnderTest>;

/** A store that makes backups itself; a database is backed up by its own means. */
export interface RestorableStore extends StoreUnderTest {
	/** Restores a backup that the store made and opens the result; rejects where restoring does. */
	restore(backup: string): Promise<Store>;
}

/** What a rejection by the ledger looks like. */
export function refused(reason: LedgerRefusal["reason"]): { name: string; reason: string } {
	return { name: "LedgerRefusal", reason };
}
