import { LIMITS } from "../../src/core/limits.js";
import type { StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount, heldAccount, type Ledger } from "../ledger.js";
import { isUsable } from "./token.js";

/**
 * Brings what a wallet's earlier tokens have left into the token it has just bought, and ends those: a reply that was
 * lost on its way lost no money. A payment proves the wallet, and nothing else does. Returns how much moved.
 */
export async function recoverTokens(
	tx: StoreTransaction,
	{ owner, intoId }: { readonly owner: string; readonly intoId: string },
	{ ledger, now }: { readonly ledger: Ledger; readonly now: number },
): Promise<bigint> {
	let recoveredMicros = 0n;
	let count = 0;
	for (const token of await tx.findBy("tokens", "owner", owner)) {
		if (token.id === intoId || !isRecoverable(token, now)) continue;
		const amountMicros = await tx.balance(custAccount(token.id));
		// What its open calls hold would come back to a token that nobody has any more.
		if (amountMicros === 0n || (await tx.balance(heldAccount(token.id))) > 0n) continue;
		await ledger.transfer(tx, { from: token.id, to: intoId, amountMicros, memo: "recovered" });
		await tx.put("tokens", { ...token, status: "revoked", closedAt: now });
		recoveredMicros += amountMicros;
		count += 1;
		if (count === LIMITS.sptRecoveredMax) break;
	}
	return recoveredMicros;
}

/** Credits, tokens that never paid for anything, and those that can pay no more; one in use stays its holder's. */
function isRecoverable(token: TokenRow, now: number): boolean {
	if (token.parentId !== undefined) return false;
	if (token.closedAt !== undefined) return true;
	if (token.status !== "active") return false;
	return token.origin === "credit" || token.usedAt === undefined || !isUsable(token, now);
}
