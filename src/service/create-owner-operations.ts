import type { SptAccounts } from "../../payments/spt/spt-accounts.js";
import type { OwnerOperations } from "./owner-operations.js";

export interface OwnerOperationDeps {
	readonly accounts: SptAccounts;
}

/** Wires what somebody known may ask. */
export function createOwnerOperations({ accounts }: OwnerOperationDeps): OwnerOperations {
	return {
		sptBalance: ({ owner }) => accounts.balance(owner),
	};
}
