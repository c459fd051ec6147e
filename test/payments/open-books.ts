import { createLedger, custAccount, toReceipt } from "../../payments/ledger.js";
import type { OwnersOf } from "../../payments/owner-shares.js";
import { createRefunds } from "../../payments/refunds/refund-ledger.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import type { TokenRow } from "../../store/rows/account-rows.js";
import type { ReceiptRow } from "../../store/rows/call-rows.js";
import { createFakeDisk } from "../store/fake-disk.js";
import { openOn, type StillClock, stillClock, tokenRow } from "../store/open-test-store.js";

export interface Sale {
	readonly owner: string;
	readonly amountMicros: bigint;
	readonly rail?: string;
	readonly operationId?: string;
	readonly billingType?: "per_call" | "research_chat";
	readonly graphIds?: readonly string[];
	readonly idempotencyId?: string;
	readonly isFree?: boolean;
}

export const WALLET = "eip155:84532:0x1111111111111111111111111111111111111111";

/** A journal store in memory with a ledger on it, and the ways money gets into and through it. */
export async function openBooks({
	ownersOf,
	clock = stillClock(),
	onResume,
}: {
	readonly ownersOf?: OwnersOf;
	readonly clock?: StillClock;
	/** There is room on the disk again. */
	readonly onResume?: () => void;
} = {}) {
	const disk = createFakeDisk();
	const store = await openOn(disk, { clock, ...(onResume && { onResume }) });
	const ids = createIds({ clock, random: systemRandom });
	const ledger = createLedger({ clock, ids, ...(ownersOf && { ownersOf }) });
	const refunds = createRefunds({ store, clock, ids });

	const issue = (id: string, amountMicros: bigint, changes: Partial<TokenRow> = {}) =>
		store.transaction(async (tx) => {
			await tx.put("tokens", tokenRow(id, { hash: id, ...changes }));
			const key = `issue:${id}`;
			await ledger.credit(tx, { owner: id, source: "cash:manual", amountMicros, key });
		});

	/** A call from its hold to its receipt. */
	const sell = async (sale: Sale): Promise<ReceiptRow> => {
		const { owner, amountMicros, rail = "spt", operationId = "graphs.search" } = sale;
		const { billingType = "per_call", isFree = false, idempotencyId, graphIds } = sale;
		const from = isFree ? "promo:free_tier" : custAccount(owner);
		const terms = { from, owner, rail, amountMicros, operationId, billingType, idempotencyId };
		const fingerprint = `fingerprint of ${operationId}`;
		const hold = await store.transaction(async (tx) => {
			const held = await ledger.authorize(tx, { ...terms, ...(graphIds && { graphIds }) });
			if (idempotencyId === undefined) return held;
			const attempt = { id: idempotencyId, fingerprint, holdId: held.id, receiptId: undefined };
			const now = clock.now();
			const times = { createdAt: now, expiresAt: now + 86_400_000 };
			await tx.put("idempotency", { ...attempt, state: "in_flight", ...times });
			return held;
		});
		return store.transaction(async (tx) => {
			const transactionId = await ledger.capture(tx, hold, amountMicros);
			const captured = {
				transactionId,
				paidMicros: isFree ? 0n : amountMicros,
				balanceAfterMicros: await tx.balance(custAccount(owner)),
			};
			const facts = { fingerprint, at: clock.now(), ...(graphIds && { graphIds }) };
			const receipt = toReceipt(hold, captured, facts);
			await tx.put("receipts", receipt);
			const row = idempotencyId && (await tx.get("idempotency", idempotencyId));
			if (row) await tx.put("idempotency", { ...row, state: "done", receiptId: receipt.id });
			return receipt;
		});
	};

	/** Money of a wallet arrives on the chain and is booked. */
	const settle = (paymentId: string, amountMicros: bigint, transactionHash: string) =>
		store.transaction(async (tx) => {
			const id = ids.next("txn");
			await tx.post({
				id,
				key: `settle:eip155:84532:${transactionHash}`,
				kind: "settle",
				at: clock.now(),
				entries: [
					{ account: "cash:x402:eip155:84532", amountMicros: -amountMicros },
					{ account: custAccount(WALLET), amountMicros },
				],
				ref: paymentId,
			});
			return id;
		});

	const balance = (account: string) => store.read((reader) => reader.balance(account));
	return { clock, disk, store, ids, ledger, refunds, issue, sell, settle, balance };
}

export type Books = Awaited<ReturnType<typeof openBooks>>;
