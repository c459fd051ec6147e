import type { AccountRow, Store, StoreReader } from "../../store/store.js";
import type { AccessScope, AccountAccess, IdentifyOptions } from "../contract/contract.js";
import {
	type Clock,
	hashSecret,
	type Ids,
	ServiceError,
	toCanonicalJson,
} from "../kernel/kernel.js";
import { type Claims, isName, refused } from "./identity-token.js";
import { keepsNoText } from "./text-retention.js";

export interface IdentityAccountDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly pepper: Uint8Array;
	readonly issuer: string;
	/** Claim that names the account: the subject by default, an organisation where they share one. */
	readonly accountClaim: string;
	/** Claim that says what a token may do; undefined where every token may do everything. */
	readonly scopeClaim: string | undefined;
	/** The claims of a token; throws UNAUTHENTICATED. */
	readonly verify: (token: string) => Promise<Claims>;
}

/** Nobody sells a skill of this name. */
const NOTHING: AccessScope = { skills: ["-"], graphs: [] };
const SEPARATOR = "\u0000";

/**
 * The account behind an identity token. Where none is open, whoever pays or changes something opens one, on the free plan
 * and with no payment method on file; throws NOT_FOUND for whoever only looks. Only a hash of issuer and claim is kept.
 * Throws UNAUTHENTICATED.
 */
export type FindSubject = (token: string, options?: IdentifyOptions) => Promise<AccountAccess>;

export function createFindSubject(deps: IdentityAccountDeps): FindSubject {
	const { store, clock, ids, pepper, issuer, accountClaim, verify } = deps;
	const find = async (reader: StoreReader, subjectHash: string) => {
		const rows = await reader.findBy("accounts", "subjectHash", subjectHash);
		return rows.find(({ closedAt }) => closedAt === undefined);
	};
	const open = (subjectHash: string): Promise<AccountRow> =>
		store.transaction(async (tx) => {
			const earlier = await find(tx, subjectHash);
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
	return async (token, { opens = false } = {}) => {
		const claims = await verify(token);
		const name = claims[accountClaim];
		if (!isName(name)) throw refused(`it lacks the claim "${accountClaim}"`);
		const text = ["oidc", issuer, accountClaim, name].join(SEPARATOR);
		const subjectHash = hashSecret(text, pepper);
		const known = await store.read((reader) => find(reader, subjectHash));
		if (!known && !opens) throw noneOpen();
		const account = known ?? (await open(subjectHash));
		const rights = toRights(claims, deps);
		return {
			accountId: account.id,
			keepsNoText: keepsNoText(account),
			grantId: hashSecret(
				["grant", text, claims["sub"], toCanonicalJson(rights)].join(SEPARATOR),
				pepper,
			),
			...rights,
		};
	};
}

function noneOpen(): ServiceError {
	return new ServiceError(
		"NOT_FOUND",
		"No account is open for this identity token; a paid call or a change of the account (PATCH /v1/account) opens one.",
	);
}

/**
 * What a token grants: `account` to manage the account, `call` to pay for everything, `skill:<id>` and `graph:<id>` for
 * what they name, in one order whatever the token's. Where no claim is configured every token may pay, and manage an account that is its subject's alone.
 */
function toRights(
	claims: Claims,
	{ accountClaim, scopeClaim }: Pick<IdentityAccountDeps, "accountClaim" | "scopeClaim">,
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
