import { setImmediate } from "node:timers/promises";
import { isUsable } from "../../payments/plan/plan.js";
import type { Store, StoreReader, StoreTransaction } from "../../store/store.js";
import type { Clock } from "../kernel/kernel.js";
import { toRevoked } from "./api-keys.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";
import { removeOAuthRows } from "./oauth-removal.js";

type Rows = Pick<Store, "read" | "transaction" | "documents">;

/**
 * Ends the grants whose key has expired, was revoked or is gone: nothing is kept of them but the key, which is revoked,
 * since nothing could use it if its owner prolonged it. Some at a time, so that calls go on meanwhile.
 */
export async function endLapsedGrants(store: Rows, clock: Clock): Promise<void> {
	const rows = await store.read((reader) => reader.list("oauth_records"));
	const keyIds = [...new Set(rows.flatMap(({ keyId }) => keyId ?? []))];
	const { grantsPerTurn } = OAUTH_LIMITS;
	for (let at = 0; at < keyIds.length; at += grantsPerTurn) {
		const some = keyIds.slice(at, at + grantsPerTurn);
		const lapsed = await store.read((reader) => findLapsed(reader, some, clock.now()));
		if (lapsed.length > 0) await endAll(store, lapsed, clock);
		await setImmediate();
	}
}

/**
 * Each is judged again in the transaction: a client may have come back, or its owner have prolonged the key. The key ends
 * first, so that nothing else can; whatever comes between, its rows name what is left.
 */
async function endAll(store: Rows, keyIds: readonly string[], clock: Clock): Promise<void> {
	const ended = await store.transaction(async (tx) => {
		const now = clock.now();
		const rows: { readonly id: string }[] = [];
		for (const keyId of await findLapsed(tx, keyIds, now))
			rows.push(...(await end(tx, keyId, now)));
		return rows;
	});
	await removeOAuthRows(store, ended);
}

async function findLapsed(
	reader: StoreReader,
	keyIds: readonly string[],
	now: number,
): Promise<readonly string[]> {
	const lapsed: string[] = [];
	for (const keyId of keyIds) {
		const key = await reader.get("keys", keyId);
		if (!key || !isUsable(key, now)) lapsed.push(keyId);
	}
	return lapsed;
}

async function end(
	tx: StoreTransaction,
	keyId: string,
	now: number,
): Promise<readonly { readonly id: string }[]> {
	const key = await tx.get("keys", keyId);
	if (key?.status === "active") await tx.put("keys", toRevoked(key, now));
	return tx.findBy("oauth_records", "keyId", keyId);
}
