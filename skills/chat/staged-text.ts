import { STAGED_TURN } from "../../src/contract/contract.js";
import type { ChatRow, Store } from "../../store/store.js";
import type { ChatPlace } from "./chat-place.js";
import type { ChatTurn } from "./chat-turns.js";

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
export async function removeStagedOf(
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
