import { forgetKeySpending, isUsable } from "../../payments/plan/plan.js";
import type { Environment } from "../../payments/spt/spt.js";
import {
	type AccountRow,
	findAndRename,
	findByAny,
	type KeyRow,
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
	type Micros,
	notFound,
	type Pepper,
} from "../kernel/kernel.js";
import type { SecretServices } from "./account-services.js";

/** Keys of the demo profile pay with paper money, and say so. */
const KEY_PREFIXES = { live: "sk_live_", test: "sk_test_" } as const satisfies Record<
	Environment,
	string
>;

/** The secret is shown here and never again. */
export interface CreatedKey {
	readonly id: string;
	readonly key: string;
	readonly accountId: string;
}

/** What a key may do; left out where there is no limit. */
export interface KeyTerms {
	readonly skills?: readonly string[] | undefined;
	readonly graphs?: readonly string[] | undefined;
	readonly expiresAt?: number | undefined;
	readonly maxTotalMicros?: Micros | undefined;
	readonly maxPerMonthMicros?: Micros | undefined;
	/** Price of one call above which its owner wants to be asked first. */
	readonly askAboveMicros?: Micros | undefined;
	/** Whether it may change the account and its keys. */
	readonly isManager?: boolean | undefined;
}

export interface AccountTerms extends KeyTerms {
	readonly hasPaymentMethod?: boolean;
	/** Whether its owner may choose zero retention. */
	readonly mayKeepNothing?: boolean;
	/** What its free calls are counted under, if not under its own id. */
	readonly quotaId?: string;
	/** Written into the same transaction as the account, e.g. its first balance. */
	readonly alongside?: (tx: StoreTransaction, accountId: string) => Promise<void>;
}

export interface FoundKey {
	readonly row: KeyRow;
	/** Whether it was found by the secret before its latest rotation. */
	readonly isReplaced: boolean;
}

interface KeyServices extends SecretServices {
	readonly environment: Environment;
}

/** Folders from before demo keys had a name of their own have keys of the other one. */
function isKey(secret: string): boolean {
	return Object.values(KEY_PREFIXES).some((prefix) => isWellFormedSecret(secret, prefix));
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** API keys, stored as keyed hashes only. Spec: Authentication. */
export function createApiKeys(deps: KeyServices) {
	const { store, clock, pepper } = deps;
	return {
		/** A key for a new account on the free plan; account, key and prepaid balance are one transaction. */
		create: (request: AccountTerms) => openAccount(deps, request),

		/** One more key of an account. Throws NOT_FOUND, and INVALID_ARGUMENT for one key too many. */
		async add(accountId: string, terms: KeyTerms): Promise<CreatedKey> {
			const { row, key } = newKey(deps, accountId, terms);
			await store.transaction(async (tx) => {
				await getOpenAccount(tx, accountId);
				await pruneEndedKeys(tx, accountId, clock.now());
				await tx.put("keys", row);
			});
			return { id: row.id, key, accountId };
		},

		/** Keys of an account, oldest first, revoked ones too. */
		list: (accountId: string) =>
			store.read(async (reader) => sortByAge(await reader.findBy("keys", "accountId", accountId))),

		/** New terms for a key; those left out stay. Throws NOT_FOUND, and INVALID_ARGUMENT for the last that manages its account. */
		change: (accountId: string, keyId: string, terms: KeyTerms) =>
			store.transaction(async (tx) => {
				const earlier = await getActive(tx, keyId, accountId);
				if (terms.isManager === false) await assertStillManaged(tx, earlier, clock.now());
				const row = { ...earlier, ...terms };
				assertSound(row);
				await tx.put("keys", row);
				return row;
			}),

		/** A new secret; the old one works for so many seconds more, the one before it no longer. Throws NOT_FOUND. */
		async rotate(accountId: string, keyId: string, overlapSeconds: number): Promise<CreatedKey> {
			const key = createSecret(KEY_PREFIXES[deps.environment], deps.random);
			await store.transaction(async (tx) => {
				const row = await getActive(tx, keyId, accountId);
				const now = clock.now();
				await tx.put("keys", {
					...row,
					hash: hashSecret(key, pepper),
					previousHash: overlapSeconds > 0 ? row.hash : undefined,
					previousUntil: overlapSeconds > 0 ? now + overlapSeconds * 1000 : undefined,
					rotatedAt: now,
				});
			});
			return { id: keyId, key, accountId };
		},

		/**
		 * The key buys nothing from now on. Throws NOT_FOUND, also for a key of another account than the one given, and
		 * INVALID_ARGUMENT where that account is named and no other key manages it.
		 */
		revoke: (keyId: string, accountId?: string) =>
			store.transaction((tx) => revokeKey(tx, { keyId, accountId, now: clock.now() })),

		/** The key behind a secret; undefined for one no one issued, that was revoked or has expired. */
		find: (secret: string) => findShownKey(deps, secret),
	};
}

async function openAccount(deps: KeyServices, request: AccountTerms): Promise<CreatedKey> {
	const { store, clock, ids } = deps;
	const { hasPaymentMethod = false, mayKeepNothing, quotaId, alongside, ...terms } = request;
	const account: AccountRow = {
		id: ids.next("acc"),
		label: "",
		plan: "free",
		hasPaymentMethod,
		createdAt: clock.now(),
		...(mayKeepNothing && { mayKeepNothing }),
		...(quotaId !== undefined && { quotaId }),
	};
	const { row, key } = newKey(deps, account.id, { isManager: true, ...terms });
	await store.transaction(async (tx) => {
		await tx.put("accounts", account);
		await tx.put("keys", row);
		await alongside?.(tx, account.id);
	});
	return { id: row.id, key, accountId: account.id };
}

async function revokeKey(
	tx: StoreTransaction,
	{ keyId, accountId, now }: { keyId: string; accountId: string | undefined; now: number },
): Promise<void> {
	const row = await getKey(tx, keyId, accountId);
	if (row.status === "revoked") return;
	// An operator may end every key there is.
	if (accountId !== undefined) await assertStillManaged(tx, row, now);
	await tx.put("keys", toRevoked(row, now));
}

/** Its hashes go with it: what no one can show any more need not be found. */
export function toRevoked(row: KeyRow, now: number): KeyRow {
	return {
		...row,
		status: "revoked",
		previousHash: undefined,
		previousUntil: undefined,
		revokedAt: now,
	};
}

/** One that an older pepper knows is verified once more and known by the newest, in one transaction. */
async function findShownKey(
	{ store, pepper, clock }: KeyServices,
	secret: string,
): Promise<FoundKey | undefined> {
	const now = clock.now();
	const hash = hashSecret(secret, pepper);
	const fieldOf = ({ isReplaced }: FoundKey) => (isReplaced ? "previousHash" : "hash");
	return findAndRename(store, {
		find: (reader) => findKey(reader, { secret, pepper, now }),
		isNewest: (found) => found.row[fieldOf(found)] === hash,
		rename: (tx, found) => tx.put("keys", { ...found.row, [fieldOf(found)]: hash }),
	});
}

/** Every text is hashed and looked up in the same steps, so that the time taken reveals nothing of its form. */
async function findKey(
	reader: StoreReader,
	{ secret, pepper, now }: { secret: string; pepper: Pepper; now: number },
): Promise<FoundKey | undefined> {
	const hashes = hashesOf(secret, pepper);
	const row = await findByAny(reader, "keys", "hash", hashes);
	const rotated = await findByAny(reader, "keys", "previousHash", hashes);
	const found = row ?? (rotated && now < (rotated.previousUntil ?? 0) ? rotated : undefined);
	return found && isKey(secret) && isUsable(found, now)
		? { row: found, isReplaced: row === undefined }
		: undefined;
}

function newKey(deps: KeyServices, accountId: string, terms: KeyTerms) {
	const { ids, random, clock, pepper, environment } = deps;
	const key = createSecret(KEY_PREFIXES[environment], random);
	const row: KeyRow = {
		...terms,
		id: ids.next("key"),
		hash: hashSecret(key, pepper),
		accountId,
		label: "",
		status: "active",
		createdAt: clock.now(),
		isManager: terms.isManager ?? false,
	};
	assertSound(row);
	return { row, key };
}

/** Forgets the keys that were revoked longest ago, beyond those remembered. Throws INVALID_ARGUMENT when all are active. */
async function pruneEndedKeys(tx: StoreTransaction, accountId: string, now: number): Promise<void> {
	const rows = sortByAge(await tx.findBy("keys", "accountId", accountId));
	const ended = rows.filter((row) => !isUsable(row, now));
	if (rows.length - ended.length >= LIMITS.accountKeysMax) {
		throw invalidArgument(
			`An account has at most ${LIMITS.accountKeysMax} active keys; revoke one first.`,
		);
	}
	for (const { id } of ended.slice(0, Math.max(0, ended.length - LIMITS.accountKeysMax + 1))) {
		await tx.delete("keys", id);
		await forgetKeySpending(tx, id);
	}
}

/** Throws NOT_FOUND, also for a key of another account than the one given. */
export async function getKey(
	reader: StoreReader,
	keyId: string,
	accountId?: string,
): Promise<KeyRow> {
	const row = await reader.get("keys", keyId);
	if (row && (accountId === undefined || row.accountId === accountId)) return row;
	throw notFound(`No API key is called "${keyId.slice(0, 80)}".`);
}

async function getActive(reader: StoreReader, keyId: string, accountId: string): Promise<KeyRow> {
	const row = await getKey(reader, keyId, accountId);
	if (row.status === "active") return row;
	throw invalidArgument(`The API key "${keyId}" was revoked; make a new one.`);
}

/** Throws NOT_FOUND. */
export async function getOpenAccount(reader: StoreReader, id: string): Promise<AccountRow> {
	const account = await reader.get("accounts", id);
	if (account && account.closedAt === undefined) return account;
	throw notFound(`No account is called "${id.slice(0, 80)}".`);
}

/** Ids rise with time. */
export function sortByAge<R extends { readonly id: string }>(rows: readonly R[]): R[] {
	return [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Anyone who manages an account can make a key without limits, so limits on such a key would be none. */
function assertSound(row: KeyRow): void {
	const { skills = [], graphs = [], maxTotalMicros, maxPerMonthMicros } = row;
	const isLimited =
		skills.length + graphs.length > 0 || (maxTotalMicros ?? maxPerMonthMicros) !== undefined;
	if (!isManager(row) || !isLimited) return;
	throw invalidArgument(
		"A key that manages its account has no scopes and no caps; leave manages_account out, or the limits.",
	);
}

/**
 * Throws INVALID_ARGUMENT where an account would be left that no one can change or erase: without this key none of its
 * keys manages it, and no identity token opens it.
 */
async function assertStillManaged(reader: StoreReader, row: KeyRow, now: number): Promise<void> {
	const manages = (key: KeyRow) => isManager(key) && isUsable(key, now);
	if (!manages(row)) return;
	const account = await reader.get("accounts", row.accountId);
	if (account?.subjectHash !== undefined) return;
	const keys = await reader.findBy("keys", "accountId", row.accountId);
	if (keys.some((key) => key.id !== row.id && manages(key))) return;
	throw invalidArgument(
		"This is the last key that manages its account; make another one first (manages_account), or erase the account.",
	);
}

function isManager({ isManager: manages = true }: KeyRow): boolean {
	return manages;
}
