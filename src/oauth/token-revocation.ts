import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import type { RevokeToken } from "../accounts/accounts.js";
import { toServiceError } from "../http/http.js";

/**
 * Lets clients revoke access tokens as well as refresh tokens (RFC 7009). The library, which keeps nothing of tokens that it
 * has signed, reads the request, knows its client, and refuses; what it refuses for that alone is done here.
 */
export function acceptAccessTokens(provider: Provider, revokeToken: RevokeToken): void {
	const refused = new WeakSet<KoaContextWithOIDC>();
	provider.on("revocation.error", (ctx, error) => {
		if (error.error === "unsupported_token_type") refused.add(ctx);
	});
	provider.use(async (ctx, next) => {
		await next();
		const { client, params } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {};
		if (!client || !refused.has(ctx as KoaContextWithOIDC)) return;
		try {
			await revokeToken(String(params?.["token"]), client.clientId);
			ctx.status = 200;
			ctx.type = "text";
			ctx.body = "";
		} catch (error) {
			const { code, message, retryAfterSeconds } = toServiceError(error);
			if (code === "INTERNAL") throw error;
			// RFC 7009, section 2.2.1: the client is to take its token for good still, and to come back.
			ctx.status = 503;
			ctx.type = "json";
			ctx.body = { error: "temporarily_unavailable", error_description: message };
			if (retryAfterSeconds !== undefined)
				ctx.set("Retry-After", `${Math.ceil(retryAfterSeconds)}`);
		}
	});
}
