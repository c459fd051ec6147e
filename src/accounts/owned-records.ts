import { scheduleMemories } from "../../skills/briefings/briefings.js";
import type { Store, StoreTransaction, Tables } from "../../store/store.js";
import { jobDocuments, pushDocument } from "../contract/contract.js";

/** What callers leave here beside money, by table: which documents hold a row's text. Erasure and purge know no other list. */
const DOCUMENTS = {
	tasks: ({ id, documentId }) => [documentId, pushDocument(id)],
	feedback: ({ id, hasNote }) => (hasNote ? [id] : []),
	artefacts: ({ id }) => [id],
	schedules: ({ id, documentId }) => [documentId, ...scheduleMemories(id)],
	briefing_runs: () => [],
	streams: () => [],
	chats: ({ id }) => [id],
	jobs: ({ id }) => jobDocuments(id),
	webhooks: ({ documentId }) => [documentId],
	webhook_deliveries: () => [],
	oauth_records: ({ id }) => [id],
	refund_requests: ({ id, hasReason }) => (hasReason ? [id] : []),
	undelivered: () => [],
} satisfies { readonly [T in keyof Tables]?: (row: Tables[T]) => readonly string[] };

export type OwnedTable = keyof typeof DOCUMENTS;

const DOCUMENTS_OF: { readonly [T in OwnedTable]: (row: Tables[T]) => readonly string[] } =
	DOCUMENTS;
const OWNED_TABLES = Object.keys(DOCUMENTS_OF) as readonly OwnedTable[];

/** Deletes every row of one owner; returns the documents that hold their text, to be deleted next. */
export async function forgetOwned(tx: StoreTransaction, owner: string): Promise<readonly string[]> {
	const documents: string[] = [];
	for (const table of OWNED_TABLES) documents.push(...(await forgetIn(tx, table, owner)));
	return documents;
}

async function forgetIn<T extends OwnedTable>(
	tx: StoreTransaction,
	table: T,
	owner: string,
): Promise<readonly string[]> {
	const rows: readonly Tables[T][] = await tx.findBy(table, "owner" as never, owner);
	for (const { id } of rows) await tx.delete(table, id);
	return rows.flatMap((row) => DOCUMENTS_OF[table](row));
}

/** Forgets rows whose time is over, and counts them by table; their text goes with the sweep of documents. */
export async function sweepOwned(
	store: Pick<Store, "read" | "transaction">,
	now: number,
): Promise<Readonly<Record<string, number>>> {
	const removed: Record<string, number> = {};
	for (const table of OWNED_TABLES) {
		const rows = await store.read((reader) => reader.list(table));
		const past = rows.filter(({ expiresAt }) => expiresAt <= now);
		if (past.length === 0) continue;
		await store.transaction(async (tx) => {
			for (const { id } of past) {
				// It may have been renewed since it was listed.
				const row = await tx.get(table, id);
				if (row && row.expiresAt <= now) await tx.delete(table, id);
			}
		});
		removed[table] = past.length;
	}
	return removed;
}
