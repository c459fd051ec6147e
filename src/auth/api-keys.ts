/** Who is calling: API keys now; OIDC, connection tokens and OAuth have their rooms here later. */
import { createSecret, hashSecret, isWellFormedSecret } from "../../payments/secret.js";
import type { Store, StoreReader, StoreTransaction } from "../../store/store.js";
import type { Clock } from "../core/clock.js";
import type { Credential } from "../core/credential.js";
import { ServiceError } from "../core/errors.js";
import type { Ids } from "../core/ids.js";
import type { Random } from "../core/random.js";

const KEY_PREFIX = "sk_live_";

/** The secret is shown here and never again. */
export interface CreatedKey {
	readonly id: string;
	readonly key: string;
	readonly accountId: string;
}

export interface KeyTerms {
	readonly label?: string;
	readonly hasPaymentMethod?: boolean;
	/** Written into the same transaction as the account, e.g. its first balance. */
	readonly alongside?: (tx: StoreTransaction, accountId: string) => Promise<void>;
}

export interface ApiKeys {
	/** A key for a new account on the free plan; account, key and prepaid balance are one transaction. */
	create(options: KeyTerms): Promise<CreatedKey>;
	/** The key buys nothing from now on. Throws NOT_FOUND. */
	revoke(keyId: string): Promise<void>;
	/** The account behind a key; undefined for a key nobody issued or that was revoked. */
	findAccountId(reader: StoreReader, credential: Credential): Promise<string | undefined>;
}

export interface ApiKeyDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
	readonly pepper: Uint8Array;
}

/** API keys, stored as keyed hashes only. Spec: Authentication. */
export function createApiKeys({ store, clock, random, ids, pepper }: ApiKeyDeps): ApiKeys {
	return {
		async create({ label = "", hasPaymentMethod = false, alongside }) {
			const accountId = ids.next("acc");
			const id = ids.next("key");
			const key = createSecret(KEY_PREFIX, random);
			const createdAt = clock.now();
			await store.transaction(async (tx) => {
				await tx.put("accounts", {
					id: accountId,
					label,
					plan: "free",
					hasPaymentMethod,
					createdAt,
				});
				const hash = hashSecret(key, pepper);
				await tx.put("keys", { id, hash, accountId, label, status: "active", createdAt });
				await alongside?.(tx, accountId);
			});
			return { id, key, accountId };
		},

		revoke: (keyId) =>
			store.transaction(async (tx) => {
				const row = await tx.get("keys", keyId);
				if (!row) throw new ServiceError("NOT_FOUND", `No API key is called "${keyId}".`);
				await tx.put("keys", { ...row, status: "revoked" });
			}),

		async findAccountId(reader, credential) {
			if (credential.scheme !== "api_key") return undefined;
			if (!isWellFormedSecret(credential.key, KEY_PREFIX)) return undefined;
			const [row] = await reader.findBy("keys", "hash", hashSecret(credential.key, pepper));
			return row?.status === "active" ? row.accountId : undefined;
		},
	};
}
