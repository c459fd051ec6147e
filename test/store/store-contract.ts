import type { Test } from "tap";
import { ledgerContract } from "./ledger-contract.js";
import { modelContract } from "./model-contract.js";
import type { OpenStore } from "./store-under-test.js";
import { tableContract } from "./table-contract.js";
import { textContract } from "./text-contract.js";

/** What every adapter of the store must do. */
export function storeContract(t: Test, open: OpenStore): void {
	ledgerContract(t, open);
	tableContract(t, open);
	textContract(t, open);
	modelContract(t, open);
}
