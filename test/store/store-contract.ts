import type { Test } from "tap";
import { costContract } from "./cost-contract.js";
import { exportContract } from "./export-contract.js";
import { holdContract } from "./hold-contract.js";
import { idempotencyContract } from "./idempotency-contract.js";
import { ledgerContract } from "./ledger-contract.js";
import { modelContract } from "./model-contract.js";
import type { OpenStore } from "./store-under-test.js";
import { tableContract } from "./table-contract.js";
import { textContract } from "./text-contract.js";

/**
 * What every adapter of the store must do. Titles name the point; where a process, a disk or another system must fail,
 * the adapter has a test of its own:
 *
 * | point | shown by |
 * |---|---|
 * | 1 balanced or rejected | ledger-contract |
 * | 2 never negative under 256 callers; a second process is refused (journal) or joins (PostgreSQL) | ledger-contract; lock.test, app/kill.e2e.test; postgres-processes.test |
 * | 3 one key a thousand times: one transaction, one receipt | ledger-contract |
 * | 4 same key, other payload: mismatch | ledger-contract, idempotency-contract |
 * | 5 a hold's life, against a model | hold-contract |
 * | 6 kill -9: acknowledged ⊆ recovered ⊆ started | kill.test, app/kill.e2e.test, power-cut.property.test; postgres-crash.test |
 * | 7 EIO, ENOSPC, short write: fail-stop; a connection that breaks | disk-failure.test, every-call.test; postgres-crash.test |
 * | 8 a long history costs what a short one does | cost-contract; recovery.test for restarts |
 * | 9 a backup under load is a consistent prefix | backup-contract and backup.test for the journal; a database has its own means |
 * | 10 a clock that runs backwards | ledger-contract |
 * | 11 an export makes the same books elsewhere | export-contract |
 * `share` is how many of the examples of its properties are tried: where each waits for a disk, a few.
 */
export function storeContract(t: Test, open: OpenStore, { share = 1 } = {}): void {
	ledgerContract(t, open);
	tableContract(t, open);
	textContract(t, open);
	modelContract(t, open, share);
	idempotencyContract(t, open, share);
	holdContract(t, open, share);
	exportContract(t, open, share);
	costContract(t, open, share);
}
