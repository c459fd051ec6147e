import type { OAuthRow, Store } from "../../store/store.js";
import { toIsoTime } from "../kernel/kernel.js";

/** One application that an account's owner gave access, as the owner's export tells it. */
export interface GrantedAccess {
	/** Key it spends by, where its budget and its end are set. */
	readonly key_id: string | null;
	readonly client_id: string;
	readonly resources: readonly string[];
	readonly created_at: string;
	readonly expires_at: string;
}

interface GrantPayload {
	readonly clientId?: string;
	readonly resources?: Readonly<Record<string, string>>;
}

/** Grants of an account, those that lapsed lately among them; or those of the given keys alone. */
export async function* grantedAccessOf(
	store: Store,
	accountId: string,
	keyIds?: ReadonlySet<string>,
): AsyncIterable<GrantedAccess> {
	const rows = await store.read((reader) => reader.findBy("oauth_records", "owner", accountId));
	const isWanted = ({ kind, keyId = "" }: OAuthRow) =>
		kind === "grant" && (keyIds?.has(keyId) ?? true);
	for (const row of rows.filter(isWanted)) {
		const text = await store.documents.get(row.id);
		if (text === undefined) continue;
		const { clientId = "", resources = {} } = JSON.parse(text) as GrantPayload;
		yield {
			key_id: row.keyId ?? null,
			client_id: clientId,
			resources: Object.keys(resources),
			created_at: toIsoTime(row.createdAt),
			expires_at: toIsoTime(row.expiresAt),
		};
	}
}
