import { ServiceError } from "../../src/core/errors.js";
import type { StoreReader, TokenRow } from "../../store/store.js";
import { hashSecret, isWellFormedSecret } from "../secret.js";

/** Tokens of the demo profile carry `test` and are worthless in production, and the reverse. */
export type Environment = "live" | "test";

/** Where a balance comes from: paper money never mixes with money that came from somebody. */
export const sourceOf = (environment: Environment): string =>
	environment === "test" ? "promo:demo" : "cash:manual";

export const sptPrefix = (environment: Environment): string => `spt_${environment}_`;

/** The token a secret belongs to, whatever its state; undefined for one nobody issued or of the other environment. */
export async function findToken(
	reader: StoreReader,
	{ secret, pepper, environment }: { secret: string; pepper: Uint8Array; environment: Environment },
): Promise<TokenRow | undefined> {
	if (!isWellFormedSecret(secret, sptPrefix(environment))) return undefined;
	const [token] = await reader.findBy("tokens", "hash", hashSecret(secret, pepper));
	return token?.environment === environment ? token : undefined;
}

/** Whether a token may spend at this instant, its balance aside. */
export function isUsable(token: TokenRow, now: number): boolean {
	return token.status === "active" && (token.expiresAt === undefined || now < token.expiresAt);
}

/** The token of this id. Throws NOT_FOUND. */
export async function getToken(reader: StoreReader, tokenId: string): Promise<TokenRow> {
	const token = await reader.get("tokens", tokenId);
	if (token) return token;
	throw new ServiceError("NOT_FOUND", `No token is called "${tokenId.slice(0, 80)}".`);
}
