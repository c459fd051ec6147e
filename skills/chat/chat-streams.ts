import type { KeptStream } from "../../src/contract/contract.js";
import type { ChatRow, Store } from "../../store/store.js";

/** Forgets the kept streams that told turns of a session, and the names they are resumed by. */
export async function removeStreamsOf(
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
	return (
		operation_id === "research.chat.stream" &&
		events.some(({ data }) => sessionOf(data) === sessionId)
	);
}

function sessionOf(data: unknown): string | undefined {
	const told = data as { readonly session?: { readonly id?: string | null } } | null;
	return told?.session?.id ?? undefined;
}
