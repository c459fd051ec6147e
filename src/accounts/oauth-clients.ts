import { isUsable } from "../../payments/plan/plan.js";
import type { OAuthRow, StoreReader, StoreTransaction } from "../../store/store.js";
import { ServiceError } from "../kernel/kernel.js";

/** Clients belong to nobody: what one user registers another may use. */
export const CLIENT_OWNER = "clients";

/**
 * Lets one more client in than are remembered: the one goes that was registered longest ago of those nobody gave consent
 * to, else the one used longest ago of those that nobody gives access any more. Throws UNAVAILABLE where all are in use.
 */
export async function makeRoom(
	tx: StoreTransaction,
	{ newcomer, clientsMax, now }: { newcomer: OAuthRow; clientsMax: number; now: number },
): Promise<readonly OAuthRow[]> {
	const clients = await tx.findBy("oauth_records", "owner", CLIENT_OWNER);
	const others = clients.filter(({ id }) => id !== newcomer.id);
	if (others.length < clientsMax) return [];
	const dropped =
		oldest(
			others.filter(({ isUsed }) => !isUsed),
			({ createdAt }) => createdAt,
		) ?? (await findIdle(tx, others, now));
	if (!dropped) {
		throw new ServiceError(
			"UNAVAILABLE",
			"As many clients are registered as are remembered, and all of them are in use; try again later.",
		);
	}
	await tx.delete("oauth_records", dropped.id);
	return [dropped];
}

/** Uses prolong a client's life, so the one that ends first was used longest ago. */
async function findIdle(
	reader: StoreReader,
	clients: readonly OAuthRow[],
	now: number,
): Promise<OAuthRow | undefined> {
	const busy = new Set<string>();
	for (const { kind, clientId, keyId = "", expiresAt } of await reader.list("oauth_records")) {
		if (kind !== "grant" || clientId === undefined || expiresAt <= now) continue;
		const key = await reader.get("keys", keyId);
		if (key && isUsable(key, now)) busy.add(clientId);
	}
	return oldest(
		clients.filter(({ id }) => !busy.has(id)),
		({ expiresAt }) => expiresAt,
	);
}

function oldest(rows: readonly OAuthRow[], by: (row: OAuthRow) => number): OAuthRow | undefined {
	return [...rows].sort((a, b) => by(a) - by(b))[0];
}
