import { setImmediate } from "node:timers/promises";
import { isUsable } from "../../payments/plan/plan.js";
import type { OAuthRow, Store, StoreReader } from "../../store/store.js";
import { type Clock, type Micros, ServiceError, toIsoTime } from "../kernel/kernel.js";
import type { AccountServices } from "./account-services.js";
import { type ApiKeys, toRevoked } from "./api-keys.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";
import { removeOAuthRows } from "./oauth-records.js";

/** Whom access was given to, and where. */
export interface GrantHolder {
	readonly accountId: string;
	readonly clientId: string;
	readonly resource: string;
}

/**
 * A grant is an API key whose secret no one has: caps, usage, and its end by the account's owner are those of any key.
 */
export type OAuthGrants = ReturnType<typeof createOAuthGrants>;

export function createOAuthGrants({
	keys,
	store,
	clock,
	setLabel,
}: Pick<AccountServices, "store" | "clock"> & {
	readonly keys: Pick<ApiKeys, "add" | "revoke" | "list">;
	readonly setLabel: (accountId: string, keyId: string, label: string) => Promise<void>;
}) {
	/** Its access tokens are refused from now on, and nothing else is kept of it; safe to call again. */
	const end = async (keyId: string): Promise<void> => {
		await keys.revoke(keyId).catch((error: unknown) => {
			if (!(error instanceof ServiceError && error.code === "NOT_FOUND")) throw error;
		});
		// The key first: without it nothing else of the grant is worth anything.
		const rows = await store.read((reader) => reader.findBy("oauth_records", "keyId", keyId));
		await removeOAuthRows(store, rows);
	};
	const findUsable = async (accountId: string): Promise<ReadonlySet<string>> => {
		const rows = await keys.list(accountId);
		return new Set(rows.filter((row) => isUsable(row, clock.now())).map(({ id }) => id));
	};
	/** Those that no one claimed, and those that were ended by their key alone. */
	const removeLapsed = async (accountId: string): Promise<void> => {
		const rows = await store.read((reader) => reader.findBy("oauth_records", "owner", accountId));
		// After the records, so that the key of one that is made meanwhile is seen.
		const usable = await findUsable(accountId);
		const lapsed = rows.filter(({ keyId }) => keyId !== undefined && !usable.has(keyId));
		await removeOAuthRows(store, lapsed);
	};
	return {
		/**
		 * Returns the id of the key, which ends soon unless the grant is claimed; what the account still has of grants that
		 * are over is removed. Throws NOT_FOUND, and INVALID_ARGUMENT for one key too many.
		 */
		async open({
			accountId,
			budgetMicros,
			label,
		}: {
			readonly accountId: string;
			/** Most the client may spend in one UTC month. */
			readonly budgetMicros: Micros;
			/** As the account's list of keys will name it. */
			readonly label: string;
		}): Promise<string> {
			await removeLapsed(accountId);
			const { id } = await keys.add(accountId, {
				isManager: false,
				maxPerMonthMicros: budgetMicros,
				expiresAt: clock.now() + OAUTH_LIMITS.unclaimedSeconds * 1000,
			});
			try {
				await setLabel(accountId, id, label);
			} catch (error) {
				await end(id);
				throw error;
			}
			return id;
		},
		/** Keys by which the same client can call at the same address for the same account. */
		async find({ accountId, clientId, resource }: GrantHolder): Promise<readonly string[]> {
			const usable = await findUsable(accountId);
			const found: string[] = [];
			for await (const grant of grantedAccessOf(store, accountId, usable)) {
				const isSame = grant.client_id === clientId && grant.resources.includes(resource);
				if (isSame && grant.key_id !== null) found.push(grant.key_id);
			}
			return found;
		},
		end,
	};
}

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
		const rows: OAuthRow[] = [];
		for (const keyId of await findLapsed(tx, keyIds, now)) {
			const key = await tx.get("keys", keyId);
			if (key?.status === "active") await tx.put("keys", toRevoked(key, now));
			rows.push(...(await tx.findBy("oauth_records", "keyId", keyId)));
		}
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

interface GrantPayload {
	readonly clientId?: string;
	readonly resources?: Readonly<Record<string, string>>;
}

/**
 * Applications that an account's owner gave access, as the owner's export lists them: those that lapsed lately among them, or
 * those of the given keys alone. `key_id` is the key it spends by, where its budget and its end are set.
 */
export async function* grantedAccessOf(
	store: Store,
	accountId: string,
	keyIds?: ReadonlySet<string>,
) {
	const rows = await store.read((reader) => reader.findBy("oauth_records", "owner", accountId));
	const isWanted = ({ kind, keyId = "" }: OAuthRow) =>
		kind === "grant" && (keyIds?.has(keyId) ?? true);
	for (const row of rows.filter(isWanted)) {
		const text = await store.documents.get(row.id);
		if (text === undefined) continue;
		const { clientId = "", resources = {} } = JSON.parse(text) as GrantPayload;
		yield {
			key_id: row.keyId ?? null,
			client_id: clientId,
			resources: Object.keys(resources),
			created_at: toIsoTime(row.createdAt),
			expires_at: toIsoTime(row.expiresAt),
		};
	}
}
