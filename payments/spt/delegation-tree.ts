import type { StoreReader, StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount, type Ledger } from "../payments.js";
import { isUsable } from "./token.js";

/** A token and all that were delegated from it, however far down; revoked ones only on demand. */
export async function tokensUnder(
	reader: StoreReader,
	top: TokenRow,
	{ withRevoked = false } = {},
): Promise<TokenRow[]> {
	const found = [top];
	for (const token of found) {
		const children = await reader.findBy("tokens", "parentId", token.id);
		found.push(...children.filter((child) => withRevoked || child.status !== "revoked"));
	}
	return found;
}

export interface TreeDeps {
	readonly ledger: Ledger;
	readonly now: number;
}

/**
 * Stops a token and all that were delegated from it. What they have left, and what their open calls give back later,
 * goes to the token's parent; a token without one keeps it. Returns how much moved.
 */
export async function revokeTree(
	tx: StoreTransaction,
	top: TokenRow,
	{ ledger, now }: TreeDeps,
): Promise<bigint> {
	const heir = top.parentId ?? top.id;
	const tokens = await tokensUnder(tx, top);
	let returnedMicros = 0n;
	for (const token of tokens) {
		const amountMicros = await tx.balance(custAccount(token.id));
		if (token.id !== heir && amountMicros > 0n) {
			await ledger.transfer(tx, { from: token.id, to: heir, amountMicros, memo: "returned" });
			returnedMicros += amountMicros;
		}
		const isDelegated = token.parentId !== undefined;
		const expiresAt = Math.min(token.expiresAt ?? now, now);
		await tx.put("tokens", { ...token, status: "revoked", ...(isDelegated && { expiresAt }) });
	}
	await redirectHolds(tx, new Set(tokens.map(({ id }) => custAccount(id))), custAccount(heir));
	return returnedMicros;
}

/** Calls that are under way end as they began; what they give back has a new owner. */
async function redirectHolds(
	tx: StoreTransaction,
	from: ReadonlySet<string>,
	to: string,
): Promise<void> {
	for (const hold of await tx.list("holds")) {
		if (from.has(hold.from) && hold.from !== to) await tx.put("holds", { ...hold, from: to });
	}
}

/** Brings back what children that have expired did not spend; nobody else could. */
export async function returnExpired(
	tx: StoreTransaction,
	parent: TokenRow,
	deps: TreeDeps,
): Promise<void> {
	for (const child of await tx.findBy("tokens", "parentId", parent.id)) {
		if (child.status === "active" && !isUsable(child, deps.now)) await revokeTree(tx, child, deps);
	}
}
