import type { LedgerRefusal, Store } from "../../store/store.js";
import type { StillClock } from "./open-test-store.js";

/** One store and the way to close it and open it again with what it kept. */
export interface StoreUnderTest {
	readonly store: Store;
	readonly clock: StillClock;
	reopen(): Promise<Store>;
}

export type OpenStore = () => Promise<StoreUnderTest>;

/** What a rejection by the ledger looks like. */
export function refused(reason: LedgerRefusal["reason"]): { name: string; reason: string } {
	return { name: "LedgerRefusal", reason };
}
