import { type Clock, formatUsd, toIsoTime } from "../../src/kernel/kernel.js";
import type { LedgerTransaction, Store, StoreReader, TokenRow } from "../../store/store.js";
import { custAccount, heldAccount } from "../payments.js";
import { type Environment, findToken, isSpendable, type TokenKeys } from "./token.js";

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
	readonly origin: string;
	readonly parent_id: string | null;
}

const UNKNOWN: SptState = {
	active: false,
	balance_usd: null,
	held_usd: null,
	expires_at: null,
	environment: null,
};

interface StateDeps extends TokenKeys {
	readonly store: Store;
	readonly clock: Clock;
}

/** Free check of a token: unknown, expired and revoked ones answer alike, after the same steps. */
export async function validateToken(
	{ store, clock, ...keys }: StateDeps,
	secret: string,
): Promise<SptState> {
	const { token, isActive, balance, held } = await store.read(async (reader) => {
		const found = await findToken(reader, { secret, ...keys });
		const id = found?.id ?? "";
		return {
			token: found,
			isActive: await isSpendable(reader, found, clock.now()),
			balance: await reader.balance(custAccount(id)),
			held: await reader.balance(heldAccount(id)),
		};
	});
	if (!token || !isActive) return UNKNOWN;
	return {
		active: true,
		balance_usd: formatUsd(balance),
		held_usd: formatUsd(held),
		expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
		environment: token.environment,
	};
}

/** Every token as its operator sees it. */
export async function listTokens(reader: StoreReader, now: number): Promise<readonly SptSummary[]> {
	const summaries: SptSummary[] = [];
	for (const token of await reader.list("tokens")) {
		summaries.push({
			id: token.id,
			label: token.label,
			status: (await isSpendable(reader, token, now)) ? "active" : stoppedOr(token),
			balance_usd: formatUsd(await reader.balance(custAccount(token.id))),
			held_usd: formatUsd(await reader.balance(heldAccount(token.id))),
			expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
			created_at: toIsoTime(token.createdAt),
			origin: token.origin ?? "operator",
			parent_id: token.parentId ?? null,
		});
	}
	return summaries;
}

function stoppedOr(token: TokenRow): string {
	return token.status === "active" ? "expired" : token.status;
}

/** A posting on the wire, for the holder of one token; the other accounts stay private. */
export function toStatementLine(owner: string, posting: LedgerTransaction) {
	const { id, at, kind, ref, memo, entries } = posting;
	const changeOf = (account: string) =>
		entries
			.filter((entry) => entry.account === account)
			.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
	return {
		id,
		at: toIsoTime(at),
		kind,
		balance_change_usd: formatUsd(changeOf(custAccount(owner))),
		held_change_usd: formatUsd(changeOf(heldAccount(owner))),
		ref,
		memo: memo ?? null,
	};
}
