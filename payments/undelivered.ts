import { LIMITS } from "../src/contract/contract.js";
import type { Clock } from "../src/kernel/kernel.js";
import type { Store, StoreTransaction } from "../store/store.js";

/** Which paid answers certainly reached no one: of these alone the price goes back without a decision. */

interface Loss {
	readonly receiptId: string;
	readonly owner: string;
}

const DAY_MS = 86_400_000;

/** What cannot be written stays a matter for the operator, and so does what was asked for again meanwhile. */
export function noteUndelivered(
	{ store, clock }: { readonly store: Store; readonly clock: Clock },
	lossIn: (tx: StoreTransaction) => Promise<Loss | undefined>,
): void {
	const noted = store.transaction(
		async (tx) => {
			const loss = await lossIn(tx);
			if (!loss || (await tx.get("undelivered", loss.receiptId))) return;
			await tx.put("undelivered", toRow(loss, clock.now()));
		},
		{ durability: "deferred" },
	);
	void noted.catch(() => undefined);
}

/** In the transaction that lets the answer be had again: from then on no one can say that it did not arrive. */
export async function noteRepeated(
	tx: StoreTransaction,
	{ now, ...loss }: Loss & { readonly now: number },
): Promise<void> {
	await tx.put("undelivered", { ...toRow(loss, now), wasRepeated: true });
}

/** Whether the answer of a receipt certainly reached no one, and no one is on the way to have it again. */
export async function isUndelivered(tx: StoreTransaction, receiptId: string): Promise<boolean> {
	const row = await tx.get("undelivered", receiptId);
	return row !== undefined && !row.wasRepeated;
}

function toRow({ receiptId, owner }: Loss, now: number) {
	return { id: receiptId, owner, expiresAt: now + LIMITS.refundAskDays * DAY_MS };
}
