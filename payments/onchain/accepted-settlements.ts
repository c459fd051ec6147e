import { hash } from "node:crypto";
import { LedgerRefusal, type StoreTransaction } from "../../store/store.js";

const ID_BYTES = 16;

/**
 * Remembers for good that a transaction was believed, since the ledger knows its keys for two days only. Where the chain
 * is read, nothing is believed and nothing is kept: a nonce is used once. Rejects with LedgerRefusal ("duplicate_key").
 */
export async function believeOnce(
	tx: StoreTransaction,
	network: string,
	transactionHash: string,
): Promise<void> {
	const name = `${network}|${transactionHash.toLowerCase()}`;
	const id = hash("sha256", name, "buffer").subarray(0, ID_BYTES).toString("base64url");
	if (await tx.get("settlements", id)) {
		throw new LedgerRefusal("duplicate_key", `${transactionHash} has settled a payment before.`);
	}
	await tx.put("settlements", { id });
}
