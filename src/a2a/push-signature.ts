import { createHash } from "node:crypto";
import { importJWK, type JWK, SignJWT } from "jose";
import type { CardSigningKey } from "../../agent-card/agent-card.js";
import type { Clock } from "../kernel/kernel.js";

/** Signs one notification, so that its receiver can tell by our public keys that it came from here, unchanged and lately. */
export type PushSign = (sent: {
	readonly taskId: string;
	readonly url: string;
	readonly body: string;
}) => Promise<string>;

const LIFE_SECONDS = 300;

/**
 * A JWT (ES256) over task, receiver and SHA-256 of the body in hex, valid for five minutes; the key is in the key set that
 * the agent card names.
 */
export function createPushSign(deps: {
	readonly signingKey: CardSigningKey;
	readonly clock: Clock;
	readonly issuer: () => string;
}): PushSign {
	const { signingKey, clock, issuer } = deps;
	let imported: ReturnType<typeof importJWK> | undefined;
	return async ({ taskId, url, body }) => {
		imported ??= importJWK(signingKey as JWK, "ES256");
		const issuedAt = Math.floor(clock.now() / 1_000);
		const request_body_sha256 = createHash("sha256").update(body).digest("hex");
		return new SignJWT({ taskId, request_body_sha256 })
			.setProtectedHeader({ alg: "ES256", kid: signingKey.kid, typ: "JWT" })
			.setIssuer(issuer())
			.setAudience(new URL(url).origin)
			.setIssuedAt(issuedAt)
			.setExpirationTime(issuedAt + LIFE_SECONDS)
			.sign(await imported);
	};
}
