import { type AccountRow, findAndRename, type StoreReader } from "../../store/store.js";
import type {
	AccessScope,
	AccountAccess,
	Credential,
	IdentifyOptions,
} from "../contract/contract.js";
import {
	hashesOf,
	hashSecret,
	notFound,
	ServiceError,
	stableHash,
	toCanonicalJson,
} from "../kernel/kernel.js";
import type { AccountServices } from "./account-services.js";
import type { ApiKeys, FoundKey } from "./api-keys.js";
import type { ConnectionTokens } from "./connection-tokens.js";
import { type Claims, isName, refused } from "./identity-token.js";

/** What an access token opens at the address it was shown at; undefined once its grant has ended. */
export type FindGrant = (
	token: string,
	resource: string,
	options?: IdentifyOptions,
) => Promise<AccountAccess | undefined>;

/**
 * What a credential opens, each kind judged in its own way; the function returned resolves to undefined for one that was never
 * issued or has ended.
 */
export function createFindAccess({
	store,
	keys,
	connections,
	findSubject,
	findGrant,
}: {
	readonly store: AccountServices["store"];
	readonly keys: ApiKeys;
	readonly connections: ConnectionTokens;
	/** Undefined where no identity provider is configured. */
	readonly findSubject?: FindSubject | undefined;
	/** Undefined where no authorization server is known. Throws UNAUTHENTICATED for a token that is not for this resource. */
	readonly findGrant?: FindGrant | undefined;
}) {
	return async (
		credential: Credential,
		options?: IdentifyOptions,
	): Promise<AccountAccess | undefined> => {
		switch (credential.scheme) {
			case "api_key": {
				const found = await keys.find(credential.key);
				return found && store.read((reader) => openWithKey(reader, found));
			}
			case "connection": {
				const token = await connections.find(credential.token);
				return token && store.read((reader) => toAccess(reader, token, false));
			}
			case "oidc":
				if (findSubject) return findSubject(credential.token, options);
				throw new ServiceError(
					"UNAUTHENTICATED",
					"Identity tokens are not taken here; send an API key (sk_…) or a Shared Payment Token (spt_…).",
				);
			case "oauth":
				if (findGrant) return findGrant(credential.token, credential.resource, options);
				throw new ServiceError(
					"UNAUTHENTICATED",
					"Access tokens are not taken here; send an API key.",
				);
			case "spt":
				return undefined;
		}
	};
}

/** The previous secret of a rotated key may have leaked, so it manages nothing. */
async function openWithKey(
	reader: StoreReader,
	{ row, isReplaced }: FoundKey,
): Promise<AccountAccess | undefined> {
	const access = await toAccess(reader, row, !isReplaced && (row.isManager ?? true));
	return access && { ...access, isReplaced };
}

async function toAccess(
	reader: StoreReader,
	{ id: keyId, accountId }: { readonly id: string; readonly accountId: string },
	isManager: boolean,
): Promise<AccountAccess | undefined> {
	const account = await reader.get("accounts", accountId);
	if (!account || account.closedAt !== undefined) return undefined;
	return { accountId, keyId, isManager, keepsNoText: keepsNoText(account) };
}

interface IdentityServices extends Pick<AccountServices, "store" | "clock" | "ids" | "pepper"> {
	readonly issuer: string;
	/** Claim that names the account: the subject by default, an organization where they share one. */
	readonly accountClaim: string;
	/** Claim that says what a token may do; undefined where every token may do everything. */
	readonly scopeClaim: string | undefined;
	/** The claims of a token; throws UNAUTHENTICATED. */
	readonly verify: (token: string) => Promise<Claims>;
}

/** No one sells a skill of this name. */
const NOTHING: AccessScope = { skills: ["-"], graphs: [] };
const SEPARATOR = "\u0000";

export type FindSubject = ReturnType<typeof createFindSubject>;

/**
 * The account behind an identity token. Where none is open, anyone who pays or changes something opens one, on the free plan
 * and with no payment method on file; throws NOT_FOUND for anyone who only looks. Only a hash of issuer and claim is kept.
 * Throws UNAUTHENTICATED.
 */
export function createFindSubject(deps: IdentityServices) {
	const { store, clock, ids, pepper, issuer, accountClaim, verify } = deps;
	const find = async (reader: StoreReader, subject: string) => {
		for (const hash of hashesOf(subject, pepper)) {
			const rows = await reader.findBy("accounts", "subjectHash", hash);
			const open = rows.find(({ closedAt }) => closedAt === undefined);
			if (open) return open;
		}
		return undefined;
	};
	const findShown = (subject: string) => {
		const subjectHash = hashSecret(subject, pepper);
		return findAndRename(store, {
			find: (reader) => find(reader, subject),
			isNewest: (account) => account.subjectHash === subjectHash,
			rename: (tx, account) => tx.put("accounts", { ...account, subjectHash }),
		});
	};
	const open = (subject: string): Promise<AccountRow> =>
		store.transaction(async (tx) => {
			const subjectHash = hashSecret(subject, pepper);
			const earlier = await find(tx, subject);
			if (earlier) return earlier;
			const row: AccountRow = {
				id: ids.next("acc"),
				label: "",
				plan: "free",
				hasPaymentMethod: false,
				createdAt: clock.now(),
				subjectHash,
			};
			await tx.put("accounts", row);
			return row;
		});
	return async (token: string, { opens = false }: IdentifyOptions = {}): Promise<AccountAccess> => {
		const claims = await verify(token);
		const name = claims[accountClaim];
		if (!isName(name)) throw refused(`it lacks the claim "${accountClaim}"`);
		const text = ["oidc", issuer, accountClaim, name].join(SEPARATOR);
		const known = await findShown(text);
		if (!known && !opens) {
			throw notFound(
				"No account is open for this identity token; a paid call or a change of the account (PATCH /v1/account) opens one.",
			);
		}
		const account = known ?? (await open(text));
		const rights = toRights(claims, deps);
		return {
			accountId: account.id,
			keepsNoText: keepsNoText(account),
			grantId: stableHash(
				["grant", text, claims["sub"], toCanonicalJson(rights)].join(SEPARATOR),
				pepper,
			),
			...rights,
		};
	};
}

/**
 * What a token grants: `account` to manage the account, `call` to pay for everything, `skill:<id>` and `graph:<id>` for
 * what they name, in one order whatever the token's. Where no claim is configured every token may pay, and manage an account that is its subject's alone.
 */
function toRights(
	claims: Claims,
	{ accountClaim, scopeClaim }: IdentityServices,
): Pick<AccountAccess, "isManager" | "scope"> {
	if (scopeClaim === undefined) return { isManager: accountClaim === "sub" };
	const words = wordsOf(claims[scopeClaim]);
	const named = (prefix: string) =>
		[...new Set(words)]
			.filter((word) => word.startsWith(prefix))
			.map((word) => word.slice(prefix.length))
			.sort();
	const [skills, graphs] = [named("skill:"), named("graph:")];
	const mayPay = words.includes("call") || skills.length > 0 || graphs.length > 0;
	return { isManager: words.includes("account"), scope: mayPay ? { skills, graphs } : NOTHING };
}

/** A list, or a text of words with spaces between them (RFC 8693, section 4.2). */
function wordsOf(value: unknown): readonly string[] {
	if (typeof value === "string") return value.split(" ").filter((word) => word !== "");
	return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
}

/** True for accounts that agreed on zero retention: no text of theirs is written anywhere. */
export function keepsNoText({ retention }: AccountRow): boolean {
	return retention === "zero";
}
