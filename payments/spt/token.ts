import {
	type Clock,
	hashesOf,
	hashSecret,
	isWellFormedSecret,
	type Micros,
	notFound,
	type Pepper,
	type Random,
	ServiceError,
} from "../../src/kernel/kernel.js";
import {
	findAndRename,
	findByAny,
	type Store,
	type StoreReader,
	type StoreTransaction,
	type TokenRow,
} from "../../store/store.js";
import { custAccount, heldAccount, type Ledger } from "../payments.js";

/** Tokens of the demo profile carry `test` and are worthless in production, and the reverse. */
export type Environment = "live" | "test";

/** Source account of a balance: demo money never mixes with real money. */
export const sourceOf = (environment: Environment): string =>
	environment === "test" ? "promo:demo" : "cash:manual";

export const sptPrefix = (environment: Environment): string => `spt_${environment}_`;

/** What turns a secret into the token it opens. */
export interface TokenKeys {
	readonly pepper: Pepper;
	readonly environment: Environment;
}

/** What tokens are kept with. */
export interface TokenServices extends TokenKeys {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly random: Random;
}

/** The token of a secret in any state; every text is hashed and looked up, so that timing reveals nothing of its form. */
async function findToken(
	reader: StoreReader,
	{ secret, pepper, environment }: TokenKeys & { readonly secret: string },
): Promise<TokenRow | undefined> {
	const isOurs = isWellFormedSecret(secret, sptPrefix(environment));
	const token = await findByAny(reader, "tokens", "hash", hashesOf(secret, pepper));
	return isOurs && token?.environment === environment ? token : undefined;
}

/**
 * As `findToken`; one that an older pepper knows is verified once more and known by the newest, in one transaction, so that
 * the older one can be retired.
 */
export async function findShownToken(
	store: Pick<Store, "read" | "transaction">,
	keys: TokenKeys & { readonly secret: string },
): Promise<TokenRow | undefined> {
	const hash = hashSecret(keys.secret, keys.pepper);
	return findAndRename(store, {
		find: (reader) => findToken(reader, keys),
		isNewest: (token) => token.hash === hash,
		rename: (tx, token) => tx.put("tokens", { ...token, hash }),
	});
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
function unknownToken(): ServiceError {
	return new ServiceError(
		"UNAUTHENTICATED",
		"The Shared Payment Token is not known here, has expired or was revoked.",
	);
}

/** Why this token pays for nothing now: an operator froze it, or one it was delegated from; else as every unknown one. */
export async function unusableToken(
	reader: StoreReader,
	token: TokenRow | undefined,
): Promise<ServiceError> {
	for (
		let one = token;
		one;
		one = one.parentId ? await reader.get("tokens", one.parentId) : undefined
	) {
		if (one.status === "suspended") return frozenToken();
	}
	return unknownToken();
}

function frozenToken(): ServiceError {
	return new ServiceError(
		"SCOPE_FORBIDDEN",
		"The operator has frozen this Shared Payment Token: it pays for nothing until that is lifted, and its balance stays. Ask the operator, or pay another way.",
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
	{ pepper, now }: { readonly pepper: Pepper; readonly now: number },
): Promise<TokenRow> {
	const token = await reader.get("tokens", holder.tokenId);
	const isHeld = token !== undefined && hashesOf(holder.secret, pepper).includes(token.hash);
	if (isHeld && (await isSpendable(reader, token, now))) return token;
	throw await unusableToken(reader, isHeld ? token : undefined);
}

/** The token of this id. Throws NOT_FOUND. */
export async function getToken(reader: StoreReader, tokenId: string): Promise<TokenRow> {
	const token = await reader.get("tokens", tokenId);
	if (token) return token;
	throw notFound(`No token is called "${tokenId.slice(0, 80)}".`);
}

export interface TokenState {
	readonly token: TokenRow;
	readonly balanceMicros: Micros;
	readonly heldMicros: Micros;
}

export async function stateOf(reader: StoreReader, token: TokenRow): Promise<TokenState> {
	return {
		token,
		balanceMicros: await reader.balance(custAccount(token.id)),
		heldMicros: await reader.balance(heldAccount(token.id)),
	};
}

/** A token and all that were delegated from it, however far down; revoked ones only on demand. */
export async function tokensUnder(
	reader: StoreReader,
	top: TokenRow,
	{ withRevoked = false } = {},
): Promise<TokenRow[]> {
	const found = [top];
	for (const token of found) {
		const children = await reader.findBy("tokens", "parentId", token.id);
		found.push(...children.filter((child) => withRevoked || child.status !== "revoked"));
	}
	return found;
}

export interface TreeDeps {
	readonly ledger: Ledger;
	readonly now: number;
}

/** Revokes a token and its descendants; what they have left, and what their open calls release, goes to the token's parent. Returns the sum moved. */
export async function revokeTree(
	tx: StoreTransaction,
	top: TokenRow,
	{ ledger, now }: TreeDeps,
): Promise<bigint> {
	const heir = top.parentId ?? top.id;
	const tokens = await tokensUnder(tx, top);
	let returnedMicros = 0n;
	for (const token of tokens) {
		const amountMicros = await tx.balance(custAccount(token.id));
		if (token.id !== heir && amountMicros > 0n) {
			await ledger.transfer(tx, { from: token.id, to: heir, amountMicros, memo: "returned" });
			returnedMicros += amountMicros;
		}
		const isDelegated = token.parentId !== undefined;
		const expiresAt = Math.min(token.expiresAt ?? now, now);
		await tx.put("tokens", { ...token, status: "revoked", ...(isDelegated && { expiresAt }) });
	}
	await redirectHolds(tx, new Set(tokens.map(({ id }) => custAccount(id))), custAccount(heir));
	return returnedMicros;
}

/** What open calls release goes to the new owner. */
async function redirectHolds(
	tx: StoreTransaction,
	from: ReadonlySet<string>,
	to: string,
): Promise<void> {
	for (const account of from) {
		if (account === to) continue;
		for (const hold of await tx.findBy("holds", "from", account)) {
			await tx.put("holds", { ...hold, from: to });
		}
	}
}

/** Returns what expired children did not spend. */
export async function returnExpired(
	tx: StoreTransaction,
	parent: TokenRow,
	deps: TreeDeps,
): Promise<void> {
	for (const child of await tx.findBy("tokens", "parentId", parent.id)) {
		if (child.status === "active" && !isUsable(child, deps.now)) await revokeTree(tx, child, deps);
	}
}
