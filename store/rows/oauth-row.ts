/**
 * What an authorization server keeps: a client, a grant, a code, a refresh token, or that an access token was revoked. What
 * it says is a document of the same id; the id is a keyed hash, so that no code and no token can be read from it.
 */
export interface OAuthRow {
	readonly id: string;
	/** Account it belongs to; the same for all clients, which belong to nobody. */
	readonly owner: string;
	readonly kind: "client" | "grant" | "code" | "refresh_token" | "revoked_access";
	/** API key that stands for the grant. */
	readonly keyId?: string | undefined;
	/** Row of the client that a grant was given to. */
	readonly clientId?: string | undefined;
	/** Keys of earlier grants that end once the code of this one is redeemed. */
	readonly replaces?: readonly string[] | undefined;
	/** When it was used for the only time it can be. */
	readonly consumedAt?: number | undefined;
	/** Whether anybody gave a client consent. */
	readonly isUsed?: boolean | undefined;
	/** Until when the key of a grant was last prolonged; whoever changed the key since has the last word. */
	readonly prolongedTo?: number | undefined;
	readonly createdAt: number;
	readonly expiresAt: number;
}
