import type { OAuthRow, Store } from "../../store/store.js";

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
