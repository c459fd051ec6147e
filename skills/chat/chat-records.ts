import { hash } from "node:crypto";
import {
	type Caller,
	grantIdOf,
	type KeptStream,
	mayRead,
	maySeeAgain,
	STAGED_TURN,
} from "../../src/contract/contract.js";
import type { Clock, TurnQueue } from "../../src/kernel/kernel.js";
import type { ChatRow, Store } from "../../store/store.js";
import { CHAT_LIMITS, type ChatTurn } from "./chat-turns.js";

/** All text of one session; the only place where it is. */
export interface ChatText {
	readonly session_id: string;
	readonly title: string | null;
	readonly graphs: readonly string[];
	readonly turn_count: number;
	/** The latest ones, oldest first. */
	readonly turns: readonly ChatTurn[];
}

export interface ChatRecord {
	readonly row: ChatRow;
	readonly text: ChatText;
}

export type ChatRecords = ReturnType<typeof createChatRecords>;

/** Persisted sessions: a row without text, and one document that holds it. */
export function createChatRecords({ store, clock }: { store: Store; clock: Clock }) {
	const isThere = (row: ChatRow) => row.expiresAt > clock.now();
	const read = async (row: ChatRow): Promise<ChatRecord | undefined> => {
		const text = await store.documents.get(row.id);
		return text === undefined ? undefined : { row, text: JSON.parse(text) as ChatText };
	};
	/** The session of a hash; see toChatKey. */
	const findByKey = async (key: string): Promise<ChatRecord | undefined> => {
		const rows = await store.read((reader) => reader.findBy("chats", "key", key));
		// A row without text is what a deletion left that was cut short.
		for (const row of rows.filter(isThere)) {
			const record = await read(row);
			if (record) return record;
		}
		return undefined;
	};
	/** The caller's own session of that name. */
	const findOwn = (caller: Caller, sessionId: string) => findByKey(toChatKey(caller, sessionId));
	return {
		findOwn,
		findByKey,
		read,

		/** By the caller's own name for it, or by an id of a session they may see; a wallet's opens by its id alone. */
		async find(caller: Caller, reference: string): Promise<ChatRecord | undefined> {
			const own = await findOwn(caller, reference);
			if (own) return own;
			const row = await store.read((reader) => reader.get("chats", reference));
			return row && isThere(row) && mayRead(caller, row) ? read(row) : undefined;
		},

		/** Latest used first. */
		async rowsOf({ owner, access }: Caller): Promise<readonly ChatRow[]> {
			const rows = await store.read((reader) => reader.findBy("chats", "owner", owner));
			return rows
				.filter((row) => isThere(row) && maySeeAgain(access, row.grantId))
				.sort((a, b) => b.usedAt - a.usedAt || (a.id < b.id ? 1 : -1));
		},

		/** How many sessions an owner has here, those of all keys of an account. */
		countOf: async (owner: string) =>
			(await store.read((reader) => reader.findBy("chats", "owner", owner))).length,

		/** Durable before it resolves; it is deleted a year after its last use. */
		async put(row: Omit<ChatRow, "expiresAt">, text: ChatText): Promise<void> {
			const expiresAt = row.usedAt + CHAT_LIMITS.keptMs;
			// Text first: a row never points to a text that is missing.
			await store.documents.put(row.id, JSON.stringify(text), expiresAt);
			await store.transaction((tx) => tx.put("chats", { ...row, expiresAt }));
		},

		/** With the streams that reported its turns, and the turns that are staged beside it. */
		async remove(row: ChatRow): Promise<void> {
			const { id } = row;
			await removeStreamsOf(store, row);
			await removeStagedOf(store, row);
			// Text first: of what a crash leaves nothing can be read.
			await store.documents.delete(id);
			await store.transaction((tx) => tx.delete("chats", id));
		},
	};
}

/** The same name of two owners, or of two keys of an account, names two sessions. */
export function toChatKey({ owner, access }: Caller, sessionId: string): string {
	const parts = [owner, grantIdOf(access) ?? "", sessionId];
	return hash("sha256", JSON.stringify(parts), "base64url");
}

/** Every session of one owner with its text, for exports. */
export async function* chatsOf(
	store: Pick<Store, "read" | "documents">,
	owner: string,
): AsyncIterable<object> {
	const rows = await store.read((reader) => reader.findBy("chats", "owner", owner));
	for (const { id, usedAt } of rows) {
		const text = await store.documents.get(id);
		if (text !== undefined) yield { id, used_at: usedAt, ...(JSON.parse(text) as ChatText) };
	}
}

/** The session a turn belongs to, whether it is at rest already or begins with this turn. */
export interface ChatPlace {
	/** Unguessable; of the session as it was when the turn began. */
	readonly id: string;
	/** Hash of owner, grant and the client's own name for it. */
	readonly key: string;
	readonly owner: string;
	readonly grantId: string | undefined;
	readonly sessionId: string;
	/** The session was at rest when the turn began: once it is not, it was deleted, and the turn with it. */
	readonly isAtRest?: boolean;
}

/** A turn at rest beside its session: what its document holds. */
export interface StagedTurn {
	readonly place: ChatPlace;
	readonly turn: ChatTurn;
}

export async function readStaged(
	store: Pick<Store, "documents">,
	id: string,
): Promise<StagedTurn | undefined> {
	const text = await store.documents.get(id);
	return text === undefined ? undefined : (JSON.parse(text) as StagedTurn);
}

export async function dropStaged(
	store: Pick<Store, "documents" | "transaction">,
	id: string,
): Promise<void> {
	// Text first: what a crash leaves is a row that is forgotten with its time.
	await store.documents.delete(id);
	await store.transaction((tx) => tx.delete("artefacts", id), { durability: "deferred" });
}

/** Forgets the turns of a session that are at rest beside it: nothing is to bring them back. */
async function removeStagedOf(
	store: Pick<Store, "read" | "transaction" | "documents">,
	{ key, owner }: Pick<ChatRow, "key" | "owner">,
): Promise<void> {
	const rows = await store.read((reader) => reader.findBy("artefacts", "owner", owner));
	for (const { id, kind } of rows) {
		if (kind !== STAGED_TURN) continue;
		const staged = await readStaged(store, id);
		if (staged?.place.key === key) await dropStaged(store, id);
	}
}

/** Forgets the kept streams that reported turns of a session, and the names they are resumed by. */
async function removeStreamsOf(
	store: Pick<Store, "read" | "transaction" | "documents">,
	{ id: sessionId, owner }: Pick<ChatRow, "id" | "owner">,
): Promise<void> {
	const kept = await store.read((reader) => reader.findBy("artefacts", "owner", owner));
	const removed = new Set<string>();
	for (const { id, kind } of kept) {
		if (kind !== "stream") continue;
		const text = await store.documents.get(id);
		if (text === undefined || !tellsOf(JSON.parse(text) as KeptStream, sessionId)) continue;
		// Text first: what a crash leaves is a row that can be deleted again.
		await store.documents.delete(id);
		removed.add(id);
	}
	if (removed.size === 0) return;
	const names = await store.read((reader) => reader.findBy("streams", "owner", owner));
	await store.transaction(async (tx) => {
		for (const id of removed) await tx.delete("artefacts", id);
		for (const { id, streamId } of names) if (removed.has(streamId)) await tx.delete("streams", id);
	});
}

/** The plan of a turn names its session, and so does its end. */
function tellsOf({ operation_id, events }: KeptStream, sessionId: string): boolean {
	type Told = { readonly session?: { readonly id?: string | null } } | null;
	const isOfIt = ({ data }: { readonly data: unknown }) =>
		(data as Told)?.session?.id === sessionId;
	return operation_id === "research.chat.stream" && events.some(isOfIt);
}

export interface TurnWritingDeps {
	readonly records: ChatRecords;
	/** Changes of one session follow each other; shared with anyone else who changes sessions. */
	readonly writes: TurnQueue;
	readonly clock: Clock;
}

export interface WrittenTurn {
	readonly place: ChatPlace;
	readonly turn: ChatTurn;
	/** Asked alone with the session: false once somebody deleted it. */
	readonly isWanted: () => Promise<boolean>;
}

/**
 * Adds a turn to what is at rest by now, in its place: those behind it may have been paid for first. Where its number was
 * given to another meanwhile it gets the next one. Safe to call again; a session that was deleted is not brought back.
 */
export async function writeTurn(
	{ records, writes, clock }: TurnWritingDeps,
	{ place, turn, isWanted }: WrittenTurn,
): Promise<void> {
	const { id, key, owner, grantId, sessionId } = place;
	const leave = await writes.enter(key);
	try {
		const record = await records.findByKey(key);
		const isDeleted = place.isAtRest === true && record?.row.id !== place.id;
		if (isDeleted || !(await isWanted())) return;
		const before = record?.text;
		const kept = before?.turns ?? [];
		if (kept.some((other) => isSameTurn(other, turn))) return;
		const turns = [...kept, numbered(turn, kept)].sort((a, b) => a.n - b.n);
		const usedAt = clock.now();
		const row = {
			...{ id: record?.row.id ?? id, key, owner, grantId },
			createdAt: record?.row.createdAt ?? usedAt,
			usedAt,
		};
		await records.put(row, {
			session_id: sessionId,
			title: before?.title ?? null,
			graphs: before?.graphs ?? [],
			turn_count: (before?.turn_count ?? 0) + 1,
			turns: turns.slice(-CHAT_LIMITS.turnsKept),
		});
	} finally {
		leave();
	}
}

/** Under its own number, or the next one where that is taken. */
function numbered(turn: ChatTurn, kept: readonly ChatTurn[]): ChatTurn {
	const isTaken = kept.some(({ n }) => n === turn.n);
	return isTaken ? { ...turn, n: (kept.at(-1)?.n ?? 0) + 1 } : turn;
}

/** Where nothing was paid the call is named by its request, and callers name requests as they like. */
export function isSameTurn(one: ChatTurn, other: ChatTurn): boolean {
	return one.callId === other.callId && one.message === other.message;
}
