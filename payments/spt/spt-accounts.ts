import { LIMITS } from "../../src/contract/contract.js";
import {
	createSecret,
	formatUsd,
	hashSecret,
	invalidArgument,
	type Micros,
	ServiceError,
	toIsoTime,
} from "../../src/kernel/kernel.js";
import type {
	LedgerTransaction,
	RefundRow,
	StoreReader,
	StoreTransaction,
	TokenRow,
} from "../../store/store.js";
import { custAccount, heldAccount, type RefundTerms } from "../payments.js";
import { spentToday } from "./spt-balance.js";
import {
	findShownToken,
	getHeldToken,
	getToken,
	isSpendable,
	isUsable,
	type PresentedToken,
	returnExpired,
	revokeTree,
	sptPrefix,
	stateOf,
	type TokenServices,
	type TokenState,
	type TreeDeps,
	tokensUnder,
} from "./token.js";

export type SptBalance = TokenState & { readonly spentTodayMicros: Micros };

export interface Revoked {
	/** What went back to the token it was delegated from. */
	readonly returnedMicros: Micros;
	/** What goes back to the wallet that bought it; undefined when nothing was left or no wallet did. */
	readonly refund: RefundRow | undefined;
	/** What stays on the books. */
	readonly balanceMicros: Micros;
}

export type SptAccounts = ReturnType<typeof createSptAccounts>;

interface SptAccountDeps extends TokenServices {
	readonly requestRefund: (tx: StoreTransaction, terms: RefundTerms) => Promise<RefundRow>;
}

/** What the holder of a token may do with the token itself. */
export function createSptAccounts(deps: SptAccountDeps) {
	const { store, ledger, clock, pepper } = deps;
	const change = <T>(
		holder: PresentedToken,
		work: (tx: StoreTransaction, token: TokenRow) => Promise<T>,
	): Promise<T> =>
		store.transaction(async (tx) => {
			const now = clock.now();
			const token = await getHeldToken(tx, holder, { pepper, now });
			await returnExpired(tx, token, { ledger, now });
			return work(tx, token);
		});
	return {
		balance: (tokenId: string): Promise<SptBalance> =>
			store.read(async (reader) => ({
				...(await stateOf(reader, await getToken(reader, tokenId))),
				spentTodayMicros: await spentToday(reader, tokenId, clock.now()),
			})),

		/** A new secret for the same token; the old one is worth nothing from then on. */
		rotate: (holder: PresentedToken) =>
			change(holder, async (tx, row) => {
				const token = createSecret(sptPrefix(deps.environment), deps.random);
				await tx.put("tokens", { ...row, hash: hashSecret(token, pepper) });
				return { token, balanceMicros: await tx.balance(custAccount(row.id)) };
			}),

		/** Refunds what is left to the wallet that bought the token, idempotently. Throws SCOPE_FORBIDDEN without such a wallet, INVALID_ARGUMENT. */
		refund: (holder: PresentedToken, reason: string): Promise<RefundRow> =>
			change(holder, async (tx, token) => {
				assertBought(token);
				const refund = await refundRest(deps, tx, token, reason);
				if (refund) return refund;
				const earlier = await tx.findBy("refunds", "ref", token.id);
				const latest = earlier.reduce<RefundRow | undefined>(later, undefined);
				if (latest) return latest;
				throw invalidArgument("The token has no balance to refund.");
			}),

		/** The token and its delegations pay for nothing from now on; what is left goes back where it came from. */
		revoke: (holder: PresentedToken): Promise<Revoked> =>
			change(holder, async (tx, token) => {
				const now = clock.now();
				const returnedMicros = await revokeTree(tx, token, { ledger, now });
				const revoked = await getToken(tx, token.id);
				await tx.put("tokens", { ...revoked, closedAt: now });
				const isBought = token.owner !== undefined && token.parentId === undefined;
				const refund = isBought
					? await refundRest(deps, tx, token, "The token was revoked by its holder.")
					: undefined;
				const balanceMicros = await tx.balance(custAccount(token.id));
				return { returnedMicros, refund, balanceMicros };
			}),
	};
}

async function refundRest(
	{ requestRefund }: SptAccountDeps,
	tx: StoreTransaction,
	{ id, owner }: TokenRow,
	reason: string,
): Promise<RefundRow | undefined> {
	const from = custAccount(id);
	const amountMicros = await tx.balance(from);
	if (amountMicros === 0n) return undefined;
	const terms = { ref: id, owner: id, from, amountMicros, reason };
	return requestRefund(tx, { ...terms, destination: owner });
}

function later(one: RefundRow | undefined, other: RefundRow): RefundRow {
	return one && one.id > other.id ? one : other;
}

/** Money goes back the way it came: to no other wallet, and never out of what an operator gave. */
function assertBought({ id, owner, parentId }: TokenRow): void {
	if (parentId !== undefined) {
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			"A delegated token gives back to the token it came from: DELETE /v1/spt, or its parent revokes it.",
		);
	}
	if (owner !== undefined) return;
	throw new ServiceError(
		"SCOPE_FORBIDDEN",
		`The operator issued this token and no wallet paid for it; ask the operator to refund ${id}.`,
	);
}

/** A token on the wire, for its holder. */
export function toBalanceWire(state: SptBalance) {
	const { token, balanceMicros, heldMicros, spentTodayMicros } = state;
	const usd = (micros: Micros | undefined) => (micros === undefined ? null : formatUsd(micros));
	return {
		id: token.id,
		label: token.label,
		environment: token.environment,
		balance_usd: formatUsd(balanceMicros),
		held_usd: formatUsd(heldMicros),
		expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
		max_per_call_usd: usd(token.maxPerCallMicros),
		max_per_day_usd: usd(token.maxPerDayMicros),
		spent_today_usd: formatUsd(spentTodayMicros),
		skills: token.skills,
		graphs: token.graphs,
		parent_id: token.parentId ?? null,
	};
}

/** Moves what is left of a wallet's earlier unused or ended tokens into the one it just bought, and returns how much: a lost reply loses no money. */
export async function recoverTokens(
	tx: StoreTransaction,
	{ owner, intoId }: { readonly owner: string; readonly intoId: string },
	deps: TreeDeps,
): Promise<bigint> {
	const { ledger, now } = deps;
	let recoveredMicros = 0n;
	let [roots, touched] = [0, 0];
	for (const token of await tx.findBy("tokens", "owner", owner)) {
		if (token.id === intoId || !isRecoverable(token, now)) continue;
		const tree = await tokensUnder(tx, token, { withRevoked: true });
		if (await isEmptyOrHeld(tx, tree)) continue;
		await revokeTree(tx, token, deps);
		const amountMicros = await tx.balance(custAccount(token.id));
		if (amountMicros > 0n) {
			await ledger.transfer(tx, { from: token.id, to: intoId, amountMicros, memo: "recovered" });
		}
		await tx.put("tokens", { ...token, status: "revoked", closedAt: now });
		recoveredMicros += amountMicros;
		roots += 1;
		touched += tree.length;
		if (roots >= LIMITS.sptRecoveredMax || touched >= LIMITS.sptDelegationsMax) break;
	}
	return recoveredMicros;
}

/** What open calls hold would return to a token that is ended here. */
async function isEmptyOrHeld(tx: StoreTransaction, tree: readonly TokenRow[]): Promise<boolean> {
	let sum = 0n;
	for (const { id } of tree) {
		if ((await tx.balance(heldAccount(id))) > 0n) return true;
		sum += await tx.balance(custAccount(id));
	}
	return sum === 0n;
}

/** Credits, tokens that never paid for anything, and those that can pay no more; one in use stays its holder's. */
function isRecoverable(token: TokenRow, now: number): boolean {
	if (token.parentId !== undefined) return false;
	if (token.closedAt !== undefined) return true;
	if (token.status !== "active") return false;
	return token.origin === "credit" || token.usedAt === undefined || !isUsable(token, now);
}

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
	const token = await findShownToken(store, { secret, pepper, environment });
	const { isActive, balance, held } = await store.read(async (reader) => {
		const id = token?.id ?? "";
		return {
			isActive: await isSpendable(reader, token, clock.now()),
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

const STOPPED = { active: "expired", suspended: "frozen", revoked: "revoked" } as const;

/** Every token as its operator sees it. */
export async function listTokens(reader: StoreReader, now: number) {
	const summaries = [];
	for (const token of await reader.list("tokens")) {
		const stopped = STOPPED[token.status];
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
