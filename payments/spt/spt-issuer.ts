import { type Clock, toIsoTime } from "../../src/core/clock.js";
import { ServiceError } from "../../src/core/errors.js";
import type { Ids } from "../../src/core/ids.js";
import { LIMITS } from "../../src/core/limits.js";
import { formatUsd, type Micros } from "../../src/core/money.js";
import type { Random } from "../../src/core/random.js";
import type { Store, StoreReader, StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount, heldAccount, type Ledger } from "../ledger.js";
import { createSecret, hashSecret } from "../secret.js";
import { type Environment, findToken, isUsable, sourceOf, sptPrefix } from "./token.js";

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

export interface SptState {
	readonly active: boolean;
	readonly balance_usd: string | null;
	readonly held_usd: string | null;
	readonly expires_at: string | null;
	readonly environment: Environment | null;
}

export interface SptSummary {
	readonly id: string;
	readonly label: string;
	readonly status: string;
	readonly balance_usd: string;
	readonly held_usd: string;
	readonly expires_at: string | null;
	readonly created_at: string;
}

export interface SptIssuer {
	/** Issues a token with a balance, credit and row in one transaction. Throws INVALID_ARGUMENT for a bad amount. */
	issue(terms: SptTerms): Promise<IssuedSpt>;
	/** As `issue`, inside a transaction, with money that lies in another account: settled funds, a parent's balance. */
	issueFrom(tx: StoreTransaction, account: string, terms: SptTerms): Promise<IssuedSpt>;
	/** Lifts a token's balance to the amount; a balance at or above it stays. */
	fillUp(tokenId: string, amountMicros: Micros): Promise<Micros>;
	/** Free check of a token: unknown, expired and revoked ones answer alike. */
	validate(secret: string): Promise<SptState>;
	/** The token's row, or undefined when the secret is none of ours. */
	find(secret: string): Promise<TokenRow | undefined>;
	list(): Promise<readonly SptSummary[]>;
	/** The token pays for nothing from now on; its balance stays on the books. Throws NOT_FOUND. */
	revoke(tokenId: string): Promise<void>;
}

export interface SptIssuerDeps {
	readonly store: Store;
	readonly ledger: Ledger;
	readonly clock: Clock;
	readonly random: Random;
	readonly ids: Ids;
	readonly pepper: Uint8Array;
	readonly environment: Environment;
}

export function createSptIssuer(deps: SptIssuerDeps): SptIssuer {
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
		await ledger.credit(tx, { owner: id, source: account, amountMicros, key, memo: row.label });
		return { id, token, balanceMicros: amountMicros };
	};

	return {
		issue: (terms) => store.transaction((tx) => issueFrom(tx, source, terms)),
		issueFrom,

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

		async validate(secret) {
			const token = await find(secret);
			if (!token || !isUsable(token, clock.now())) return UNKNOWN;
			const [balance, held] = await store.read(async (reader) => [
				await reader.balance(custAccount(token.id)),
				await reader.balance(heldAccount(token.id)),
			]);
			return {
				active: true,
				balance_usd: formatUsd(balance ?? 0n),
				held_usd: formatUsd(held ?? 0n),
				expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
				environment,
			};
		},

		find,

		revoke: (tokenId) => store.transaction((tx) => revokeToken(tx, tokenId)),

		list: () => store.read((reader) => listTokens(reader, clock.now())),
	};
}

async function revokeToken(tx: StoreTransaction, tokenId: string): Promise<void> {
	const row = await tx.get("tokens", tokenId);
	if (!row) throw new ServiceError("NOT_FOUND", `No token is called "${tokenId}".`);
	await tx.put("tokens", { ...row, status: "revoked" });
}

async function listTokens(reader: StoreReader, now: number): Promise<readonly SptSummary[]> {
	const summaries: SptSummary[] = [];
	for (const token of await reader.list("tokens")) {
		summaries.push({
			id: token.id,
			label: token.label,
			status: isUsable(token, now) ? "active" : expiredOr(token),
			balance_usd: formatUsd(await reader.balance(custAccount(token.id))),
			held_usd: formatUsd(await reader.balance(heldAccount(token.id))),
			expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
			created_at: toIsoTime(token.createdAt),
		});
	}
	return summaries;
}

const UNKNOWN: SptState = {
	active: false,
	balance_usd: null,
	held_usd: null,
	expires_at: null,
	environment: null,
};

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

function expiredOr(token: TokenRow): string {
	return token.status === "active" ? "expired" : token.status;
}

/** Throws INVALID_ARGUMENT for an amount nobody should be given in one go. */
export function assertAmount(amountMicros: Micros): void {
	if (amountMicros > 0n && amountMicros <= LIMITS.sptMaxMicros) return;
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`A balance must be above zero and at most ${formatUsd(LIMITS.sptMaxMicros)} USD.`,
	);
}
