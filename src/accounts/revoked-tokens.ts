import { isUsable } from "../../payments/plan/plan.js";
import type { Store, StoreTransaction } from "../../store/store.js";
import { ServiceError } from "../kernel/kernel.js";
import type { OAuthGrants } from "./oauth-grants.js";
import { OAUTH_LIMITS } from "./oauth-limits.js";
import { createReadOwnToken, type OwnToken, type OwnTokenDeps } from "./own-tokens.js";

/**
 * Ends one access token before its time; durable before it resolves. What is no such token, or another client's, is let
 * be without a word (RFC 7009, section 2.2). Throws RATE_LIMITED where too many wait to be checked.
 */
export type RevokeToken = (token: string, clientId: string) => Promise<void>;

export interface RevokeTokenDeps extends OwnTokenDeps {
	readonly store: Store;
	readonly grants: Pick<OAuthGrants, "end">;
}

/**
 * Revoked tokens are rows that vanish when the token would have. A grant has so many of them; who revokes one more in that
 * quarter of an hour loses the grant, so that no token is good that its client has given up.
 */
export function createRevokeToken({ store, grants, ...deps }: RevokeTokenDeps): RevokeToken {
	const read = createReadOwnToken(deps);
	return async (text, clientId) => {
		const token = await read(text, audienceOf(text)).catch((error: unknown) => {
			if (error instanceof ServiceError && error.code === "UNAUTHENTICATED") return undefined;
			throw error;
		});
		if (token?.clientId !== clientId) return;
		const isNoted = await store.transaction((tx) => note(tx, token, deps.clock.now()));
		if (!isNoted) await grants.end(token.keyId);
	};
}

/** False where there is no room for it. */
async function note(tx: StoreTransaction, token: OwnToken, now: number): Promise<boolean> {
	const { keyId, accountId, recordId, expiresAt } = token;
	const key = await tx.get("keys", keyId);
	if (key?.accountId !== accountId || !isUsable(key, now)) return true;
	if (await tx.get("oauth_records", recordId)) return true;
	const rows = await tx.findBy("oauth_records", "keyId", keyId);
	const live = rows.filter((row) => row.kind === "revoked_access" && row.expiresAt > now);
	if (live.length >= OAUTH_LIMITS.revokedTokensPerGrant) return false;
	const kind = "revoked_access";
	const row = { id: recordId, owner: accountId, kind, keyId, createdAt: now, expiresAt } as const;
	await tx.put("oauth_records", row);
	return true;
}

/** As the token itself says: who asks for its end does not say where it was good. */
function audienceOf(token: string): string {
	try {
		const [, body = ""] = token.split(".", 2);
		const claims: unknown = JSON.parse(Buffer.from(body, "base64url").toString());
		return String((claims as { readonly aud?: unknown }).aud);
	} catch {
		return "";
	}
}
