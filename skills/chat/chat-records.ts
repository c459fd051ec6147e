import { hash } from "node:crypto";
import { type Caller, grantIdOf, mayRead, maySeeAgain } from "../../src/contract/contract.js";
import type { Clock } from "../../src/kernel/kernel.js";
import type { ChatRow, Store } from "../../store/store.js";
import { CHAT_LIMITS } from "./chat-limits.js";
import { removeStreamsOf } from "./chat-streams.js";
import type { ChatTurn } from "./chat-turns.js";
import { removeStagedOf } from "./staged-text.js";

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

/** Sessions at rest: a row without text, and one document that holds it. */
export interface ChatRecords {
	/** The caller's own session of that name. */
	findOwn(caller: Caller, sessionId: string): Promise<ChatRecord | undefined>;
	/** The same by its hash; see toChatKey. */
	findByKey(key: string): Promise<ChatRecord | undefined>;
	/** By the caller's own name for it, or by an id of a session they may see; a wallet's opens by its id alone. */
	find(caller: Caller, reference: string): Promise<ChatRecord | undefined>;
	/** Latest used first. */
	rowsOf(caller: Caller): Promise<readonly ChatRow[]>;
	read(row: ChatRow): Promise<ChatRecord | undefined>;
	/** How many sessions an owner has here, whoever's of an account. */
	countOf(owner: string): Promise<number>;
	/** Durable before it resolves; it is forgotten a year after its last use. */
	put(row: Omit<ChatRow, "expiresAt">, text: ChatText): Promise<void>;
	/** With the streams its turns were told as, and the turns that wait beside it. */
	remove(row: ChatRow): Promise<void>;
}

export function createChatRecords({
	store,
	clock,
}: {
	readonly store: Store;
	readonly clock: Clock;
}): ChatRecords {
	const isThere = (row: ChatRow) => row.expiresAt > clock.now();
	const read = async (row: ChatRow): Promise<ChatRecord | undefined> => {
		const text = await store.documents.get(row.id);
		return text === undefined ? undefined : { row, text: JSON.parse(text) as ChatText };
	};
	const findByKey = async (key: string) => {
		const rows = await store.read((reader) => reader.findBy("chats", "key", key));
		// A row without text is what a deletion left that was cut short.
		for (const row of rows.filter(isThere)) {
			const record = await read(row);
			if (record) return record;
		}
		return undefined;
	};
	const findOwn = (caller: Caller, sessionId: string) => findByKey(toChatKey(caller, sessionId));
	return {
		findOwn,
		findByKey,
		read,

		async find(caller, reference) {
			const own = await findOwn(caller, reference);
			if (own) return own;
			const row = await store.read((reader) => reader.get("chats", reference));
			return row && isThere(row) && mayRead(caller, row) ? read(row) : undefined;
		},

		async rowsOf({ owner, access }) {
			const rows = await store.read((reader) => reader.findBy("chats", "owner", owner));
			return rows
				.filter((row) => isThere(row) && maySeeAgain(access, row.grantId))
				.sort((a, b) => b.usedAt - a.usedAt || (a.id < b.id ? 1 : -1));
		},

		countOf: async (owner) =>
			(await store.read((reader) => reader.findBy("chats", "owner", owner))).length,

		async put(row, text) {
			const expiresAt = row.usedAt + CHAT_LIMITS.keptMs;
			// Text first: a row never points to a text that is missing.
			await store.documents.put(row.id, JSON.stringify(text), expiresAt);
			await store.transaction((tx) => tx.put("chats", { ...row, expiresAt }));
		},

		async remove(row) {
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
