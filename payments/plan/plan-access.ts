import type { AccessScope, AccountAccess } from "../../src/contract/contract.js";
import { ServiceError, toIsoDay } from "../../src/kernel/kernel.js";
import type {
	AccountRow,
	ConnectionRow,
	KeyRow,
	StoreReader,
	StoreTransaction,
} from "../../store/store.js";

/** What a call is paid from, as it stands in the transaction that holds its price. */
export interface OpenedPlan {
	readonly account: AccountRow;
	readonly key: KeyRow | undefined;
	readonly connection: ConnectionRow | undefined;
	readonly scope: AccessScope;
}

const EVERYTHING: AccessScope = { skills: [], graphs: [] };

/** Reads account and key again, so that one revoked, expired or erased since pays for nothing. Throws UNAUTHENTICATED. */
export async function openPlan(
	reader: StoreReader,
	{ accountId, keyId, scope }: Pick<AccountAccess, "accountId" | "keyId" | "scope">,
	now: number,
): Promise<OpenedPlan> {
	const account = await reader.get("accounts", accountId);
	if (!account || account.closedAt !== undefined) throw unknownKey();
	if (keyId === undefined) {
		return { account, key: undefined, connection: undefined, scope: scope ?? EVERYTHING };
	}
	const [key, connection] = [
		await reader.get("keys", keyId),
		await reader.get("connections", keyId),
	];
	const row = key ?? connection;
	if (!row || row.accountId !== accountId || !isUsable(row, now)) throw unknownKey();
	const { skills = [], graphs = [] } = row;
	return { account, key, connection, scope: { skills, graphs } };
}

/** Whether a key or connection token may pay at this instant, its limits aside. */
export function isUsable(
	{ status, expiresAt }: Pick<KeyRow, "status" | "expiresAt">,
	now: number,
): boolean {
	return status === "active" && (expiresAt === undefined || now < expiresAt);
}

/** Alike for unknown, expired and revoked ones. */
export function unknownKey(): ServiceError {
	return new ServiceError(
		"UNAUTHENTICATED",
		"The API key is not known here, has expired or was revoked.",
	);
}

/** Notes the day on which a key pays, once a day: telling when it was last used needs no more. */
export async function markUsed(
	tx: StoreTransaction,
	{ key, connection }: Pick<OpenedPlan, "key" | "connection">,
	now: number,
): Promise<void> {
	const usedDay = toIsoDay(now);
	if (key && key.usedDay !== usedDay) await tx.put("keys", { ...key, usedDay });
	if (connection && connection.usedDay !== usedDay) {
		await tx.put("connections", { ...connection, usedDay });
	}
}
