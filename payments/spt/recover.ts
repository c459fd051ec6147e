import { LIMITS } from "../../src/contract/contract.js";
import type { StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount, heldAccount } from "../payments.js";
import { revokeTree, type TreeDeps, tokensUnder } from "./delegation-tree.js";
import { isUsable } from "./token.js";

/**
 * Brings what a wallet's earlier tokens have left, and what was delegated from them, into the token it has just bought,
 * and ends those: a reply that was lost on its way lost no money. A payment proves the wallet, and nothing else does.
 * Returns how much moved.
 */
export async function recoverTokens(
	tx: StoreTransaction,
	{ owner, intoId }: { readonly owner: string; readonly intoId: string },
	deps: TreeDeps,
): Promise<bigint> {
	const { ledger, now } = deps;
	let recoveredMicros = 0n;
	let [roots, touched] = [0, 0];
	for (const token of await tx.findBy("tokens", "owner", owner)) {
		if (token.id === intoId || !isRecoverable(token, now)) continue;
		const tree = await tokensUnder(tx, token, { withRevoked: true });
		if (await isEmptyOrHeld(tx, tree)) continue;
		await revokeTree(tx, token, deps);
		const amountMicros = await tx.balance(custAccount(token.id));
		if (amountMicros > 0n) {
			await ledger.transfer(tx, { from: token.id, to: intoId, amountMicros, memo: "recovered" });
		}
		await tx.put("tokens", { ...token, status: "revoked", closedAt: now });
		recoveredMicros += amountMicros;
		roots += 1;
		touched += tree.length;
		if (roots >= LIMITS.sptRecoveredMax || touched >= LIMITS.sptDelegationsMax) break;
	}
	return recoveredMicros;
}

/** What open calls hold would come back to a token that nobody has any more. */
async function isEmptyOrHeld(tx: StoreTransaction, tree: readonly TokenRow[]): Promise<boolean> {
	let sum = 0n;
	for (const { id } of tree) {
		if ((await tx.balance(heldAccount(id))) > 0n) return true;
		sum += await tx.balance(custAccount(id));
	}
	return sum === 0n;
}

/** Credits, tokens that never paid for anything, and those that can pay no more; one in use stays its holder's. */
function isRecoverable(token: TokenRow, now: number): boolean {
	if (token.parentId !== undefined) return false;
	if (token.closedAt !== undefined) return true;
	if (token.status !== "active") return false;
	return token.origin === "credit" || token.usedAt === undefined || !isUsable(token, now);
}
