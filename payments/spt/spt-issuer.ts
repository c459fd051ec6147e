import { LIMITS } from "../../src/contract/contract.js";
import {
	type Clock,
	createSecret,
	formatUsd,
	hashSecret,
	type Ids,
	type Micros,
	type Random,
	ServiceError,
} from "../../src/kernel/kernel.js";
import type { Store, StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount, type Ledger } from "../payments.js";
import { listTokens, type SptState, type SptSummary, validateToken } from "./spt-state.js";
import { type Environment, findToken, getToken, revokeTree, sourceOf, sptPrefix } from "./token.js";

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

export interface SptIssuer {
	/** Issues a token with a balance, credit and row in one transaction. Throws INVALID_ARGUMENT for a bad amount. */
	issue(terms: SptTerms): Promise<IssuedSpt>;
	/** As `issue`, inside a transaction, with money that lies in another account: settled funds, a parent's balance. */
	issueFrom(tx: StoreTransaction, account: string, terms: SptTerms): Promise<IssuedSpt>;
	/** Replaces the secret of an unused token; undefined for any other. */
	reissue(tx: StoreTransaction, tokenId: string): Promise<string | undefined>;
	/** Lifts a token's balance to the amount; a balance at or above it stays. */
	fillUp(tokenId: string, amountMicros: Micros): Promise<Micros>;
	/** Free check of a token: unknown, expired and revoked ones answer alike. */
	validate(secret: string): Promise<SptState>;
	/** The token's row, or undefined when the secret is none of ours. */
	find(secret: string): Promise<TokenRow | undefined>;
	list(): Promise<readonly SptSummary[]>;
	/** The token and those delegated from it pay for nothing from now on; what is left stays on the books. Throws NOT_FOUND. */
	revoke(tokenId: string): Promise<void>;
}

export function createSptIssuer(deps: {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
	readonly pepper: Uint8Array;
	readonly environment: Environment;
}): SptIssuer {
	const { store, ledger, clock, random, ids, pepper, environment } = deps;
	const source = sourceOf(environment);

	const find = (secret: string) =>
		store.read((reader) => findToken(reader, { secret, pepper, environment }));

	const issueFrom: SptIssuer["issueFrom"] = async (tx, account, terms) => {
		assertAmount(terms.amountMicros);
		const id = ids.next("tok");
		const token = createSecret(sptPrefix(environment), random);
		const hash = hashSecret(token, pepper);
		const row = toRow({ id, hash, environment, now: clock.now() }, terms);
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
		issue: (terms) => store.transaction((tx) => issueFrom(tx, source, terms)),
		issueFrom,

		async reissue(tx, tokenId) {
			const row = await tx.get("tokens", tokenId);
			if (row?.status !== "active" || row.usedAt !== undefined) return undefined;
			const token = createSecret(sptPrefix(row.environment), random);
			await tx.put("tokens", { ...row, hash: hashSecret(token, pepper) });
			return token;
		},

		fillUp: (tokenId, amountMicros) =>
			store.transaction(async (tx) => {
				const missing = amountMicros - (await tx.balance(custAccount(tokenId)));
				if (missing > 0n) {
					const key = `fill-up:${ids.next("txn")}`;
					await ledger.credit(tx, {
						owner: tokenId,
						source,
						amountMicros: missing,
						key,
						memo: "fill-up",
					});
				}
				return tx.balance(custAccount(tokenId));
			}),

		validate: (secret) => validateToken(deps, secret),

		find,

		revoke: (tokenId) =>
			store.transaction(async (tx) => {
				await revokeTree(tx, await getToken(tx, tokenId), { ledger, now: clock.now() });
			}),

		list: () => store.read((reader) => listTokens(reader, clock.now())),
	};
}

const CUST = custAccount("");

function toRow(
	base: { id: string; hash: string; environment: Environment; now: number },
	terms: SptTerms,
): TokenRow {
	return {
		id: base.id,
		hash: base.hash,
		environment: base.environment,
		label: terms.label ?? "",
		status: "active",
		createdAt: base.now,
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
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`A balance must be above zero and at most ${formatUsd(LIMITS.sptMaxMicros)} USD.`,
	);
}
