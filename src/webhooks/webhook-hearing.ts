import { isUsable } from "../../payments/plan/plan.js";
import { isSpendable } from "../../payments/spt/spt.js";
import type { StoreReader, WebhookRow } from "../../store/store.js";
import { isWallet } from "../contract/contract.js";

/** What a webhook may be told now: everything its owner does, what was done under its own grant, or nothing more. */
export type Hearing = "all" | "own" | "nothing";

type Maker = Pick<WebhookRow, "owner" | "grantId" | "isForAll">;

/**
 * Nobody hears more than the credential a webhook was made with would show now: one that was revoked or has expired shows
 * nothing, and a key that manages its account no longer shows its own doings alone.
 */
export async function hearingOf(
	reader: StoreReader,
	{ owner, grantId, isForAll }: Maker,
	now: number,
): Promise<Hearing> {
	if (!(await isOwnerOpen(reader, owner, now))) return "nothing";
	const most = isForAll ? "all" : "own";
	if (grantId?.startsWith("con_")) {
		const connection = await reader.get("connections", grantId);
		return connection && isUsable(connection, now) ? most : "nothing";
	}
	if (!grantId?.startsWith("key_")) return most;
	const key = await reader.get("keys", grantId);
	if (!key || !isUsable(key, now)) return "nothing";
	return (key.isManager ?? true) ? most : "own";
}

async function isOwnerOpen(reader: StoreReader, owner: string, now: number): Promise<boolean> {
	if (isWallet(owner)) return true;
	const account = await reader.get("accounts", owner);
	if (account) return account.closedAt === undefined;
	return isSpendable(reader, await reader.get("tokens", owner), now);
}
