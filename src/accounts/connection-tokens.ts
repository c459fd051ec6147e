import { isUsable } from "../../payments/plan/plan.js";
import {
	type ConnectionRow,
	findAndRename,
	findByAny,
	type StoreReader,
	type StoreTransaction,
} from "../../store/store.js";
import { LIMITS } from "../contract/contract.js";
import {
	createSecret,
	hashesOf,
	hashSecret,
	invalidArgument,
	isWellFormedSecret,
	notFound,
} from "../kernel/kernel.js";
import type { SecretServices } from "./account-services.js";
import { getOpenAccount, sortByAge } from "./api-keys.js";

const TOKEN_PREFIX = "ct_";

/** Secrets in MCP addresses, for clients that cannot send headers: they pay from an account, and change nothing of it. */
export type ConnectionTokens = ReturnType<typeof createConnectionTokens>;

/** Connection tokens, stored as keyed hashes only. Spec: Authentication. */
export function createConnectionTokens({ store, clock, random, ids, pepper }: SecretServices) {
	return {
		/** The secret is shown here and never again. Throws NOT_FOUND, and INVALID_ARGUMENT for one token too many. */
		async create(accountId: string, terms: Pick<ConnectionRow, "skills" | "graphs" | "expiresAt">) {
			const token = createSecret(TOKEN_PREFIX, random);
			const id = ids.next("con");
			const hash = hashSecret(token, pepper);
			const createdAt = clock.now();
			await store.transaction(async (tx) => {
				await getOpenAccount(tx, accountId);
				await pruneExpired(tx, accountId, clock.now());
				await tx.put("connections", { ...terms, id, hash, accountId, status: "active", createdAt });
			});
			return { id, token };
		},

		/** Active ones, oldest first. */
		list: (accountId: string) =>
			store.read(async (reader) => {
				const rows = await reader.findBy("connections", "accountId", accountId);
				return sortByAge(rows.filter((row) => isUsable(row, clock.now())));
			}),

		/** Throws NOT_FOUND, also for a token of another account than the one given. */
		revoke: (id: string, accountId?: string) =>
			store.transaction(async (tx) => {
				const row = await tx.get("connections", id);
				if (!row || (accountId !== undefined && row.accountId !== accountId)) {
					throw notFound(`No connection token is called "${id.slice(0, 80)}".`);
				}
				// No one asks for one that has ended: usage names it by its id.
				await tx.delete("connections", id);
			}),

		/** The token behind a secret; undefined for one no one issued, that was revoked or has expired. */
		async find(secret: string): Promise<ConnectionRow | undefined> {
			const hash = hashSecret(secret, pepper);
			const find = async (reader: StoreReader) => {
				const row = await findByAny(reader, "connections", "hash", hashesOf(secret, pepper));
				const isOurs = isWellFormedSecret(secret, TOKEN_PREFIX);
				return isOurs && row && isUsable(row, clock.now()) ? row : undefined;
			};
			return findAndRename(store, {
				find,
				isNewest: (row) => row.hash === hash,
				rename: (tx, row) => tx.put("connections", { ...row, hash }),
			});
		},
	};
}

/** Forgets tokens that have expired. Throws INVALID_ARGUMENT when too many are left. */
async function pruneExpired(tx: StoreTransaction, accountId: string, now: number): Promise<void> {
	const rows = await tx.findBy("connections", "accountId", accountId);
	const ended = rows.filter((row) => !isUsable(row, now));
	if (rows.length - ended.length >= LIMITS.accountConnectionsMax) {
		throw invalidArgument(
			`An account has at most ${LIMITS.accountConnectionsMax} connection tokens; revoke one first.`,
		);
	}
	for (const { id } of ended) await tx.delete("connections", id);
}
