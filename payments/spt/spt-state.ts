import { formatUsd, toIsoTime } from "../../src/kernel/kernel.js";
import type { LedgerTransaction, StoreReader } from "../../store/store.js";
import { custAccount, heldAccount } from "../payments.js";
import { findToken, isSpendable, stateOf, type TokenServices } from "./token.js";

export type SptSummary = Awaited<ReturnType<typeof listTokens>>[number];

const UNKNOWN = {
	active: false,
	balance_usd: null,
	held_usd: null,
	expires_at: null,
	environment: null,
};

/** Free check of a token: unknown, expired and revoked ones answer alike, after the same steps. */
export async function validateToken(
	{ store, clock, pepper, environment }: TokenServices,
	secret: string,
) {
	const { token, isActive, balance, held } = await store.read(async (reader) => {
		const found = await findToken(reader, { secret, pepper, environment });
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
export async function listTokens(reader: StoreReader, now: number) {
	const summaries = [];
	for (const token of await reader.list("tokens")) {
		const stopped = token.status === "active" ? "expired" : token.status;
		const { balanceMicros, heldMicros } = await stateOf(reader, token);
		summaries.push({
			id: token.id,
			label: token.label,
			status: (await isSpendable(reader, token, now)) ? "active" : stopped,
			balance_usd: formatUsd(balanceMicros),
			held_usd: formatUsd(heldMicros),
			expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
			created_at: toIsoTime(token.createdAt),
			origin: token.origin ?? "operator",
			parent_id: token.parentId ?? null,
		});
	}
	return summaries;
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
