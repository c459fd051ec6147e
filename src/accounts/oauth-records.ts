import { isUsable } from "../../payments/plan/plan.js";
import type { OAuthRow, Store, StoreReader, StoreTransaction } from "../../store/store.js";
import { hashesOf, type Pepper, unavailable } from "../kernel/kernel.js";
import type { AccountServices } from "./account-services.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";

type OAuthKind = OAuthRow["kind"];
type Payload = Readonly<Record<string, unknown>>;

export interface NewRecord {
	readonly kind: OAuthKind;
	/** A code, a refresh token, the id of a client or of a grant; only its hash is kept. */
	readonly id: string;
	readonly accountId?: string | undefined;
	/** Client that uses it; undefined for a client itself. */
	readonly clientId?: string | undefined;
	/** Key that stands for the grant. */
	readonly keyId?: string | undefined;
	readonly payload: Payload;
	readonly expiresAt: number;
}

/** Clients, grants, codes and refresh tokens, in the store: found by anyone who knows their id, and lost with their account. */
export type OAuthRecords = ReturnType<typeof createOAuthRecords>;

const LEAST_EXTENSION_MS = OAUTH_LIMITS.extensionSeconds * 1000;
const SEPARATOR = "\u0000";

export function createOAuthRecords({
	store,
	clock,
	pepper,
	clientsMax = OAUTH_LIMITS.clientsMax,
}: Pick<AccountServices, "store" | "clock" | "pepper"> & {
	readonly clientsMax?: number;
}) {
	const { idIn } = createRecordIds(pepper);
	const currentId = (kind: OAuthKind, id: string) => store.read((reader) => idIn(reader, kind, id));
	return {
		/** Undefined for what is unknown, has expired, or whose grant has ended: a grant is as good as its key. */
		async find(kind: OAuthKind, id: string) {
			const now = clock.now();
			const row = await store.read(async (reader) => {
				const found = await reader.get("oauth_records", await idIn(reader, kind, id));
				if (!found || found.expiresAt <= now) return undefined;
				if (found.keyId === undefined) return found;
				const key = await reader.get("keys", found.keyId);
				return key && isUsable(key, now) ? found : undefined;
			});
			const text = row && (await store.documents.get(row.id));
			if (!row || text === undefined) return undefined;
			return { payload: JSON.parse(text) as Payload, consumedAt: row.consumedAt };
		},

		/**
		 * Durable before it resolves; false, and nothing is kept, when the account or the key of its grant has ended. A
		 * refresh token keeps its client and that key for longer. Throws UNAVAILABLE for one client too many.
		 */
		async put(record: NewRecord): Promise<boolean> {
			const { kind, clientId } = record;
			const clientRow = clientId === undefined ? "" : await currentId("client", clientId);
			const row = toRow(record, { id: await currentId(kind, record.id), clientRow }, clock.now());
			const text = JSON.stringify(record.payload);
			if (!(await keep(store, row, { text, clientsMax }))) return false;
			if (clientId !== undefined && kind !== "code") {
				await prolongClient({ store, clock }, clientRow);
			}
			return true;
		},

		/**
		 * False for what was used before, or is gone: of two that use it at once one fails. A code is remembered as used
		 * for its minute; a refresh token, of which there would be thousands, is forgotten (see oauth-tokens.ts).
		 */
		async consume(kind: OAuthKind, id: string): Promise<boolean> {
			const recordId = await currentId(kind, id);
			const now = clock.now();
			const isFirst = await store.transaction((tx) => useOnce(tx, recordId, now));
			if (isFirst && kind === "refresh_token") await store.documents.delete(recordId);
			return isFirst;
		},

		/** Notes which keys are to end once a grant is taken up. */
		async setReplaced(keyId: string, replaces: readonly string[]): Promise<void> {
			await store.transaction(async (tx) => {
				const grant = await tx.get("oauth_records", await idIn(tx, "grant", keyId));
				if (grant) await tx.put("oauth_records", { ...grant, replaces });
			});
		},

		async getReplaced(keyId: string): Promise<readonly string[]> {
			const id = await currentId("grant", keyId);
			const grant = await store.read((reader) => reader.get("oauth_records", id));
			return grant?.replaces ?? [];
		},

		remove: async (kind: OAuthKind, id: string) =>
			removeOAuthRows(store, [{ id: await currentId(kind, id) }]),

		async removeOfKey(kind: OAuthKind, keyId: string): Promise<void> {
			const rows = await store.read((reader) => reader.findBy("oauth_records", "keyId", keyId));
			await removeOAuthRows(
				store,
				rows.filter((row) => row.kind === kind),
			);
		},
	};
}

export function createRecordIds(pepper: Pepper) {
	/** Under every pepper in force, the newest first: it names what is new. */
	const idsOf = (kind: OAuthKind, id: string) =>
		hashesOf(["oauth", kind, id].join(SEPARATOR), pepper).map((hash) => `oauth-${hash}`);
	const newestId = (kind: OAuthKind, id: string): string => idsOf(kind, id)[0] ?? "";
	return {
		newestId,
		/** The row as it is named; where there is none, as a new one would be. */
		async idIn(reader: StoreReader, kind: OAuthKind, id: string): Promise<string> {
			for (const one of idsOf(kind, id)) if (await reader.get("oauth_records", one)) return one;
			return newestId(kind, id);
		},
	};
}

/**
 * Lets the newest pepper name the clients and grants that an older one named; what their holders alone know stays as it is.
 * Safe to call again: a text whose row was not renamed expires.
 */
export async function renameOAuthRecords({
	store,
	pepper,
}: Pick<AccountServices, "store" | "pepper">): Promise<void> {
	const { newestId } = createRecordIds(pepper);
	for (const row of await store.read((reader) => reader.list("oauth_records"))) {
		const isKnown = row.kind === "client" || row.kind === "grant";
		// One that cannot be read keeps its older name, and is no reason to keep the others'.
		const text = isKnown ? await store.documents.get(row.id).catch(() => undefined) : undefined;
		if (text === undefined) continue;
		const name = row.kind === "grant" ? row.keyId : (JSON.parse(text) as Payload)["client_id"];
		const id = typeof name === "string" ? newestId(row.kind, name) : row.id;
		if (id === row.id) continue;
		await store.documents.put(id, text, row.expiresAt);
		await store.transaction((tx) => rename(tx, row.id, id));
		await store.documents.delete(row.id);
	}
}

async function rename(tx: StoreTransaction, from: string, to: string): Promise<void> {
	const row = await tx.get("oauth_records", from);
	if (!row) return;
	await tx.delete("oauth_records", from);
	await tx.put("oauth_records", { ...row, id: to });
	if (row.kind !== "client") return;
	for (const grant of await tx.findBy("oauth_records", "clientId", from))
		await tx.put("oauth_records", { ...grant, clientId: to });
}

/** Its text is written again, because a document is gone at the time it was written for. */
async function prolongClient(
	{ store, clock }: Pick<AccountServices, "store" | "clock">,
	id: string,
): Promise<void> {
	const row = await store.read((reader) => reader.get("oauth_records", id));
	const expiresAt = clock.now() + OAUTH_LIMITS.clientKeptSeconds * 1000;
	if (!row || expiresAt - row.expiresAt <= LEAST_EXTENSION_MS) return;
	const text = await store.documents.get(id);
	if (text === undefined) return;
	await store.documents.put(id, text, expiresAt);
	await store.transaction((tx) => tx.put("oauth_records", { ...row, isUsed: true, expiresAt }));
}

function toRow(
	{ kind, accountId, clientId, keyId, expiresAt }: NewRecord,
	{ id, clientRow }: { readonly id: string; readonly clientRow: string },
	createdAt: number,
): OAuthRow {
	const owner = kind === "client" ? CLIENT_OWNER : (accountId ?? CLIENT_OWNER);
	const row: OAuthRow = { id, owner, kind, keyId, createdAt, expiresAt };
	if (kind !== "grant" || clientId === undefined) return row;
	return { ...row, clientId: clientRow };
}

/** The text first, so that no row is without it; it goes again where the row is refused. */
async function keep(
	store: Store,
	row: OAuthRow,
	{ text, clientsMax }: { readonly text: string; readonly clientsMax: number },
): Promise<boolean> {
	const now = row.createdAt;
	const write = async (tx: StoreTransaction) => {
		if (!(await isAlive(tx, row))) return undefined;
		await putRow(tx, row);
		return row.kind === "client" ? evictClient(tx, { newcomer: row, clientsMax, now, idle }) : [];
	};
	const { documents } = store;
	const idle =
		row.kind === "client"
			? await store.read((reader) => listIdle(reader, { clientsMax, now }))
			: new Set<string>();
	await documents.put(row.id, text, row.expiresAt);
	const dropped = await store.transaction(write).catch(async (error: unknown) => {
		await documents.delete(row.id);
		throw error;
	});
	for (const { id } of dropped ?? [row]) await documents.delete(id);
	return dropped !== undefined;
}

/** What an erased account or a revoked key has left behind must not come back with a request that was under way. */
async function isAlive(reader: StoreReader, { keyId, createdAt }: OAuthRow): Promise<boolean> {
	if (keyId === undefined) return true;
	const key = await reader.get("keys", keyId);
	const account = key && (await reader.get("accounts", key.accountId));
	if (!key || !account) return false;
	return account.closedAt === undefined && isUsable(key, createdAt);
}

async function putRow(tx: StoreTransaction, row: OAuthRow): Promise<void> {
	if (row.kind === "grant" && row.keyId !== undefined) {
		const key = await tx.get("keys", row.keyId);
		await tx.put("oauth_records", { ...row, prolongedTo: key?.expiresAt });
		return;
	}
	await tx.put("oauth_records", row);
	if (row.kind === "refresh_token") await prolongKey(tx, row);
}

async function useOnce(tx: StoreTransaction, id: string, now: number): Promise<boolean> {
	const row = await tx.get("oauth_records", id);
	if (!row || row.consumedAt !== undefined) return false;
	if (row.kind === "refresh_token") {
		await tx.delete("oauth_records", id);
		return true;
	}
	await tx.put("oauth_records", { ...row, consumedAt: now });
	// The key of a redeemed code lives at least as long as the access token that its client gets.
	await prolongKey(tx, { ...row, expiresAt: now + OAUTH_LIMITS.accessTokenSeconds * 1000 }, 0);
	return true;
}

/** The key of a grant that is used lives as long as its latest refresh token, unless its owner set another end. */
async function prolongKey(
	tx: StoreTransaction,
	{ keyId = "", expiresAt }: OAuthRow,
	leastMs = LEAST_EXTENSION_MS,
): Promise<void> {
	const key = await tx.get("keys", keyId);
	const rows = await tx.findBy("oauth_records", "keyId", keyId);
	const grant = rows.find(({ kind }) => kind === "grant");
	const { prolongedTo } = grant ?? {};
	if (!key || !grant || prolongedTo === undefined || key.expiresAt !== prolongedTo) return;
	const until = Math.min(expiresAt, grant.expiresAt);
	if (until - prolongedTo <= leastMs) return;
	await tx.put("keys", { ...key, expiresAt: until });
	await tx.put("oauth_records", { ...grant, prolongedTo: until });
}

/** Clients belong to no one: what one user registers another may use. */
const CLIENT_OWNER = "clients";

/**
 * Lets one more client in than are remembered: the one goes that was registered longest ago of those no one gave consent
 * to, else the one used longest ago of those that no one gives access any more. Throws UNAVAILABLE where all are in use.
 */
async function evictClient(
	tx: StoreTransaction,
	{ newcomer, clientsMax, now, idle }: Newcomer,
): Promise<readonly OAuthRow[]> {
	const clients = await tx.findBy("oauth_records", "owner", CLIENT_OWNER);
	const others = clients.filter(({ id }) => id !== newcomer.id);
	if (others.length < clientsMax) return [];
	const unused = others.filter(({ isUsed }) => !isUsed);
	const dropped =
		sortBy(unused, "createdAt")[0] ?? (await findIdle(tx, { clients: others, idle, now }));
	if (!dropped) {
		throw unavailable(
			"As many clients are registered as are remembered, and all of them are in use; try again later.",
		);
	}
	await tx.delete("oauth_records", dropped.id);
	return [dropped];
}

interface Newcomer {
	readonly newcomer: OAuthRow;
	readonly clientsMax: number;
	readonly now: number;
	/** Clients that no one gave access a moment ago. */
	readonly idle: ReadonlySet<string>;
}

/** Found among all grants before the transaction, which would lock each of them; it looks again at the one that is to go. */
async function listIdle(
	reader: StoreReader,
	{ clientsMax, now }: Pick<Newcomer, "clientsMax" | "now">,
): Promise<ReadonlySet<string>> {
	const clients = await reader.findBy("oauth_records", "owner", CLIENT_OWNER);
	if (clients.length < clientsMax || clients.some(({ isUsed }) => !isUsed)) return new Set();
	const idle = new Set(clients.map(({ id }) => id));
	for (const grant of await reader.list("oauth_records")) {
		const { clientId = "" } = grant;
		if (idle.has(clientId) && (await givesAccess(reader, grant, now))) idle.delete(clientId);
	}
	return idle;
}

/** Uses prolong a client's life, so the one that ends first was used longest ago. */
async function findIdle(
	reader: StoreReader,
	{ clients, idle, now }: Pick<Newcomer, "idle" | "now"> & { clients: readonly OAuthRow[] },
): Promise<OAuthRow | undefined> {
	for (const client of sortBy(clients, "expiresAt")) {
		if (!idle.has(client.id)) continue;
		const grants = await reader.findBy("oauth_records", "clientId", client.id);
		const given = await Promise.all(grants.map((grant) => givesAccess(reader, grant, now)));
		if (!given.includes(true)) return client;
	}
	return undefined;
}

async function givesAccess(
	reader: StoreReader,
	{ kind, keyId = "", expiresAt }: OAuthRow,
	now: number,
): Promise<boolean> {
	if (kind !== "grant" || expiresAt <= now) return false;
	const key = await reader.get("keys", keyId);
	return key !== undefined && isUsable(key, now);
}

function sortBy(rows: readonly OAuthRow[], by: "createdAt" | "expiresAt"): readonly OAuthRow[] {
	return [...rows].sort((a, b) => a[by] - b[by]);
}

/** Removes records with their texts; safe to call again, since what a crash leaves is still named by its row. */
export async function removeOAuthRows(
	store: Pick<Store, "transaction" | "documents">,
	rows: readonly Pick<OAuthRow, "id">[],
): Promise<void> {
	if (rows.length === 0) return;
	for (const { id } of rows) await store.documents.delete(id);
	await store.transaction(async (tx) => {
		for (const { id } of rows) await tx.delete("oauth_records", id);
	});
}
