import { createHash } from "node:crypto";
import { type CommittedTransaction, exportLedger, type Store } from "../../store/store-port.js";

/** Books an export into an empty store of any kind, line by line. */
export async function importLedger(store: Store, lines: AsyncIterable<string>): Promise<void> {
	for await (const line of lines) {
		const { postings, receipts } = JSON.parse(line, toMoney) as CommittedTransaction;
		await store.transaction(async (tx) => {
			for (const posting of postings) await tx.post(posting);
			for (const receipt of receipts) await tx.put("receipts", receipt);
		});
	}
}

function toMoney(name: string, value: unknown): unknown {
	return name.endsWith("Micros") && typeof value === "string" ? BigInt(value) : value;
}

export async function hashOfExport(store: Store): Promise<string> {
	const sha256 = createHash("sha256");
	for await (const line of exportLedger(store)) sha256.update(`${line}\n`);
	return sha256.digest("hex");
}
