import { hashSecret, isWellFormedSecret, ServiceError } from "../../src/kernel/kernel.js";
import type { StoreReader, TokenRow } from "../../store/store.js";

/** Tokens of the demo profile carry `test` and are worthless in production, and the reverse. */
export type Environment = "live" | "test";

/** Where a balance comes from: paper money never mixes with money that came from somebody. */
export const sourceOf = (environment: Environment): string =>
	environment === "test" ? "promo:demo" : "cash:manual";

export const sptPrefix = (environment: Environment): string => `spt_${environment}_`;

/** What turns a secret into the token it opens. */
export interface TokenKeys {
	readonly pepper: Uint8Array;
	readonly environment: Environment;
}

/**
 * The token a secret belongs to, whatever its state; undefined for one nobody issued or of the other environment.
 * Every text is hashed and looked up, so that the time taken tells nothing of its form.
 */
export async function findToken(
	reader: StoreReader,
	{ secret, pepper, environment }: TokenKeys & { readonly secret: string },
): Promise<TokenRow | undefined> {
	const [token] = await reader.findBy("tokens", "hash", hashSecret(secret, pepper));
	const isOurs = isWellFormedSecret(secret, sptPrefix(environment));
	return isOurs && token?.environment === environment ? token : undefined;
}

/** Whether a token may spend at this instant, its balance aside; those it was delegated from aside. */
export function isUsable(token: TokenRow, now: number): boolean {
	return token.status === "active" && (token.expiresAt === undefined || now < token.expiresAt);
}

/** Whether a token and every one it was delegated from may spend at this instant. */
export async function isSpendable(
	reader: StoreReader,
	token: TokenRow | undefined,
	now: number,
): Promise<boolean> {
	if (!token || !isUsable(token, now)) return false;
	if (token.parentId === undefined) return true;
	return isSpendable(reader, await reader.get("tokens", token.parentId), now);
}

/** Alike for unknown, expired and revoked ones. */
export function unknownToken(): ServiceError {
	return new ServiceError(
		"UNAUTHENTICATED",
		"The Shared Payment Token is not known here, has expired or was revoked.",
	);
}

/** Who shows a token's secret: what changes the token checks it again, in the transaction that changes it. */
export interface PresentedToken {
	readonly tokenId: string;
	readonly secret: string;
}

/** The token its holder may change. Throws UNAUTHENTICATED when the secret was rotated or the token stopped since. */
export async function getHeldToken(
	reader: StoreReader,
	holder: PresentedToken,
	{ pepper, now }: { readonly pepper: Uint8Array; readonly now: number },
): Promise<TokenRow> {
	const token = await reader.get("tokens", holder.tokenId);
	const isHeld = token?.hash === hashSecret(holder.secret, pepper);
	if (isHeld && (await isSpendable(reader, token, now))) return token;
	throw unknownToken();
}

/** The token of this id. Throws NOT_FOUND. */
export async function getToken(reader: StoreReader, tokenId: string): Promise<TokenRow> {
	const token = await reader.get("tokens", tokenId);
	if (token) return token;
	throw new ServiceError("NOT_FOUND", `No token is called "${tokenId.slice(0, 80)}".`);
}
