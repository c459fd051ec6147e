import { LIMITS } from "../../src/contract/contract.js";
import {
	createSecret,
	formatUsd,
	hashSecret,
	type Ids,
	invalidArgument,
	type Micros,
} from "../../src/kernel/kernel.js";
import type { Store, StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount } from "../payments.js";
import { listTokens, validateToken } from "./spt-accounts.js";
import {
	findShownToken,
	getToken,
	revokeTree,
	sourceOf,
	sptPrefix,
	type TokenServices,
} from "./token.js";

export interface SptTerms {
	readonly amountMicros: Micros;
	readonly label?: string;
	readonly expiresAt?: number;
	readonly maxPerCallMicros?: Micros;
	readonly skills?: readonly string[];
	readonly graphs?: readonly string[];
	readonly maxPerDayMicros?: Micros;
	readonly parentId?: string;
	/** Wallet (CAIP-10) it belongs to. */
	readonly owner?: string;
	readonly origin?: NonNullable<TokenRow["origin"]>;
}

/** The secret is shown here and never again. */
export interface IssuedSpt {
	readonly id: string;
	readonly token: string;
	readonly balanceMicros: Micros;
}

export type SptIssuer = ReturnType<typeof createSptIssuer>;

export function createSptIssuer(deps: TokenServices & { readonly ids: Ids }) {
	const { store, ledger, clock, random, ids, pepper, environment } = deps;
	const source = sourceOf(environment);

	/** As `issue`, inside a transaction, with money that lies in another account: settled funds, a parent's balance. */
	const issueFrom = async (
		tx: StoreTransaction,
		account: string,
		terms: SptTerms,
	): Promise<IssuedSpt> => {
		assertAmount(terms.amountMicros);
		const id = ids.next("tok");
		const token = createSecret(sptPrefix(environment), random);
		const hash = hashSecret(token, pepper);
		const row = toRow({ id, hash, environment, createdAt: clock.now() }, terms);
		await tx.put("tokens", row);
		const { amountMicros } = terms;
		const key = `issue:${id}`;
		const memo = row.label;
		if (account.startsWith(CUST)) {
			const from = account.slice(CUST.length);
			await ledger.transfer(tx, { from, to: id, amountMicros, key, memo });
		} else await ledger.credit(tx, { owner: id, source: account, amountMicros, key, memo });
		return { id, token, balanceMicros: amountMicros };
	};

	return {
		/** Issues a token with a balance, credit and row in one transaction. Throws INVALID_ARGUMENT for a bad amount. */
		issue: (terms: SptTerms) => store.transaction((tx) => issueFrom(tx, source, terms)),
		issueFrom,

		/** Replaces the secret of an unused token; undefined for any other. */
		reissue: (tx: StoreTransaction, tokenId: string) => reissue(deps, tx, tokenId),

		/** Lifts a token's balance to the amount; a balance at or above it stays. */
		fillUp: (tokenId: string, wantedMicros: Micros): Promise<Micros> =>
			store.transaction(async (tx) => {
				const amountMicros = wantedMicros - (await tx.balance(custAccount(tokenId)));
				if (amountMicros > 0n) {
					const key = `fill-up:${ids.next("txn")}`;
					const terms = { owner: tokenId, source, amountMicros, key, memo: "fill-up" };
					await ledger.credit(tx, terms);
				}
				return tx.balance(custAccount(tokenId));
			}),

		/** Free check of a token: unknown, expired and revoked ones answer alike. */
		validate: (secret: string) => validateToken(deps, secret),

		/** The token's row, or undefined when the secret is none of ours. */
		find: (secret: string) => findShownToken(store, { secret, pepper, environment }),

		/** The token and those delegated from it pay for nothing from now on; what is left stays on the books. Throws NOT_FOUND. */
		revoke: (tokenId: string): Promise<void> =>
			store.transaction(async (tx) => {
				await revokeTree(tx, await getToken(tx, tokenId), { ledger, now: clock.now() });
			}),

		/** Frozen, it pays for nothing until that is lifted; what is held already is captured or released as ever. Throws NOT_FOUND. */
		setFrozen: (tokenId: string, isFrozen: boolean) => setFrozen(store, tokenId, isFrozen),

		list: () => store.read((reader) => listTokens(reader, clock.now())),
	};
}

async function reissue(
	{ random, pepper }: Pick<TokenServices, "random" | "pepper">,
	tx: StoreTransaction,
	tokenId: string,
): Promise<string | undefined> {
	const row = await tx.get("tokens", tokenId);
	if (row?.status !== "active" || row.usedAt !== undefined) return undefined;
	const token = createSecret(sptPrefix(row.environment), random);
	await tx.put("tokens", { ...row, hash: hashSecret(token, pepper) });
	return token;
}

function setFrozen(store: Store, tokenId: string, isFrozen: boolean): Promise<void> {
	return store.transaction(async (tx) => {
		const token = await getToken(tx, tokenId);
		if (token.status === "revoked") {
			throw invalidArgument(
				`The token "${tokenId.slice(0, 80)}" was ended; it pays for nothing anyway.`,
			);
		}
		await tx.put("tokens", { ...token, status: isFrozen ? "suspended" : "active" });
	});
}

const CUST = custAccount("");

function toRow(
	{ id, hash, environment, createdAt }: Pick<TokenRow, "id" | "hash" | "environment" | "createdAt">,
	terms: SptTerms,
): TokenRow {
	return {
		id,
		hash,
		environment,
		label: terms.label ?? "",
		status: "active",
		createdAt,
		expiresAt: terms.expiresAt,
		maxPerCallMicros: terms.maxPerCallMicros,
		skills: terms.skills ?? [],
		graphs: terms.graphs ?? [],
		...(terms.maxPerDayMicros !== undefined && { maxPerDayMicros: terms.maxPerDayMicros }),
		...(terms.parentId !== undefined && { parentId: terms.parentId }),
		...(terms.owner !== undefined && { owner: terms.owner }),
		origin: terms.origin ?? "operator",
	};
}

/** Throws INVALID_ARGUMENT for an amount outside the limits. */
export function assertAmount(amountMicros: Micros): void {
	if (amountMicros > 0n && amountMicros <= LIMITS.sptMaxMicros) return;
	throw invalidArgument(
		`A balance must be above zero and at most ${formatUsd(LIMITS.sptMaxMicros)} USD.`,
	);
}
