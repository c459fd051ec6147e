import { LIMITS, toOperationName } from "../../src/contract/contract.js";
import {
	formatUsd,
	type Micros,
	notFound,
	ServiceError,
	toIsoTime,
} from "../../src/kernel/kernel.js";
import type { StoreReader, StoreTransaction, TokenRow } from "../../store/store.js";
import { custAccount } from "../payments.js";
import { countSpending } from "./spt-balance.js";
import type { IssuedSpt, SptIssuer, SptTerms } from "./spt-issuer.js";
import { tooLittle } from "./spt-refusals.js";
import {
	getHeldToken,
	isUsable,
	type PresentedToken,
	returnExpired,
	revokeTree,
	stateOf,
	type TokenServices,
	type TokenState,
	tokensUnder,
} from "./token.js";

export interface Delegated extends IssuedSpt {
	readonly state: TokenState;
	readonly parentBalanceMicros: Micros;
}

export type Delegations = ReturnType<typeof createDelegations>;

interface DelegationDeps extends Pick<TokenServices, "store" | "ledger" | "clock" | "pepper"> {
	readonly issueFrom: SptIssuer["issueFrom"];
	readonly isForSale: () => boolean;
}

/** Tokens for others, out of a token's own balance: never wider, longer or dearer than the token itself. */
export function createDelegations(deps: DelegationDeps) {
	const { store, ledger, clock, pepper } = deps;
	const parentOf = async (tx: StoreTransaction, holder: PresentedToken) => {
		const now = clock.now();
		const parent = await getHeldToken(tx, holder, { pepper, now });
		await returnExpired(tx, parent, { ledger, now });
		return parent;
	};
	return {
		/** Throws INSUFFICIENT_BALANCE, SPENDING_LIMIT, SCOPE_FORBIDDEN, INVALID_ARGUMENT. */
		create: (holder: PresentedToken, terms: DelegationTerms): Promise<Delegated> =>
			store.transaction(async (tx) => delegate(deps, tx, await parentOf(tx, holder), terms)),

		/** Children that have not been revoked, oldest first. */
		list: (holder: PresentedToken): Promise<readonly TokenState[]> =>
			store.transaction(async (tx) => {
				const { id } = await parentOf(tx, holder);
				const children = await tx.findBy("tokens", "parentId", id);
				const live = children.filter((child) => isUsable(child, clock.now()));
				const states: TokenState[] = [];
				for (const child of live.sort(byId)) states.push(await stateOf(tx, child));
				return states;
			}),

		/** Revokes a child and its descendants; what is left returns. Throws NOT_FOUND for the child of another token. */
		revoke: (holder: PresentedToken, childId: string) =>
			store.transaction(async (tx) => {
				const parent = await parentOf(tx, holder);
				const child = await tx.get("tokens", childId);
				if (child?.parentId !== parent.id) throw unknownDelegation(childId);
				const isRevoked = child.status === "revoked";
				const treeDeps = { ledger, now: clock.now() };
				const returnedMicros = isRevoked ? 0n : await revokeTree(tx, child, treeDeps);
				return { returnedMicros, balanceMicros: await tx.balance(custAccount(parent.id)) };
			}),
	};
}

async function delegate(
	{ clock, issueFrom, isForSale }: DelegationDeps,
	tx: StoreTransaction,
	parent: TokenRow,
	terms: DelegationTerms,
): Promise<Delegated> {
	const now = clock.now();
	const { amountMicros } = terms;
	await assertRoomBelow(tx, parent, now);
	const narrowed = narrowTerms(parent, terms);
	const balanceMicros = await tx.balance(custAccount(parent.id));
	if (balanceMicros < amountMicros) {
		const facts = { balanceMicros, amountMicros, purpose: "this delegation takes" };
		throw tooLittle({ token: parent, ...facts, isForSale: isForSale() });
	}
	await countSpending(tx, parent, { amountMicros, now });
	const issued = await issueFrom(tx, custAccount(parent.id), {
		...narrowed,
		amountMicros,
		label: terms.label ?? "",
		parentId: parent.id,
		origin: "delegation",
	});
	// Delegating proves that the secret was delivered.
	if (parent.usedAt === undefined) await tx.put("tokens", { ...parent, usedAt: now });
	const child = await tx.get("tokens", issued.id);
	if (!child) throw new ServiceError("INTERNAL", `The token ${issued.id} was not written.`);
	return {
		...issued,
		state: await stateOf(tx, child),
		parentBalanceMicros: await tx.balance(custAccount(parent.id)),
	};
}

/** Bounds how deep and how wide a tree of tokens grows, because revoking it is one transaction. */
async function assertRoomBelow(tx: StoreTransaction, parent: TokenRow, now: number): Promise<void> {
	const { first, depth } = await ancestryOf(tx, parent);
	if (depth >= LIMITS.sptDepthMax) {
		throw new ServiceError(
			"SCOPE_FORBIDDEN",
			`Tokens are delegated ${LIMITS.sptDepthMax} levels deep at most; this one is on the last.`,
		);
	}
	await forgetRevoked(tx, first, now);
	const kept = (await tokensUnder(tx, first, { withRevoked: true })).length - 1;
	if (kept < LIMITS.sptDelegationsMax) return;
	throw new ServiceError(
		"RATE_LIMITED",
		`At most ${LIMITS.sptDelegationsMax} tokens are delegated from one; revoked ones that paid for anything count for a day.`,
		{ retryAfterSeconds: LIMITS.sptDelegationKeptMs / 1000 },
	);
}

async function ancestryOf(
	reader: StoreReader,
	token: TokenRow,
): Promise<{ first: TokenRow; depth: number }> {
	const parent = token.parentId && (await reader.get("tokens", token.parentId));
	if (!parent) return { first: token, depth: 0 };
	const { first, depth } = await ancestryOf(reader, parent);
	return { first, depth: depth + 1 };
}

/** Deletes revoked tokens of the whole tree that are old or never paid: no refund can look for them. */
async function forgetRevoked(tx: StoreTransaction, first: TokenRow, now: number): Promise<void> {
	for (const token of await tokensUnder(tx, first, { withRevoked: true })) {
		if (token.status !== "revoked") continue;
		const isOld = (token.expiresAt ?? now) + LIMITS.sptDelegationKeptMs < now;
		if (isOld || token.usedAt === undefined) await tx.delete("tokens", token.id);
	}
}

function unknownDelegation(childId: string): ServiceError {
	return notFound(`No token delegated from this one is called "${childId.slice(0, 80)}".`);
}

function byId(one: TokenRow, other: TokenRow): number {
	return one.id < other.id ? -1 : 1;
}

/** A delegated token on the wire, for its holder and its parent. */
export function toDelegationWire({ token, balanceMicros, heldMicros }: TokenState) {
	const usd = (micros: Micros | undefined) => (micros === undefined ? null : formatUsd(micros));
	return {
		id: token.id,
		label: token.label,
		balance_usd: formatUsd(balanceMicros),
		held_usd: formatUsd(heldMicros),
		created_at: toIsoTime(token.createdAt),
		expires_at: token.expiresAt === undefined ? null : toIsoTime(token.expiresAt),
		max_per_call_usd: usd(token.maxPerCallMicros),
		max_per_day_usd: usd(token.maxPerDayMicros),
		skills: token.skills,
		graphs: token.graphs,
	};
}

type Limit = "expiresAt" | "maxPerCallMicros" | "maxPerDayMicros" | "skills" | "graphs";

/** Terms of a delegated token; what is left out is as the parent's. */
export type DelegationTerms = Pick<SptTerms, "amountMicros"> & {
	readonly [Name in Limit | "label"]?: SptTerms[Name] | undefined;
};

/** A child's limits, scopes and expiry: its parent's, or tighter ones. Throws SCOPE_FORBIDDEN for wider ones. */
function narrowTerms(parent: TokenRow, terms: DelegationTerms): Pick<SptTerms, Limit> {
	const { maxPerCallMicros: perCall, maxPerDayMicros: perDay } = parent;
	const maxPerCallMicros = lower("max_per_call_usd", perCall, terms.maxPerCallMicros);
	const maxPerDayMicros = lower("max_per_day_usd", perDay, terms.maxPerDayMicros);
	const expiresAt = earlier(parent.expiresAt, terms.expiresAt);
	return {
		skills: subset("skills", parent.skills, terms.skills, toOperationName),
		graphs: subset("graphs", parent.graphs, terms.graphs),
		...(maxPerCallMicros !== undefined && { maxPerCallMicros }),
		...(maxPerDayMicros !== undefined && { maxPerDayMicros }),
		...(expiresAt !== undefined && { expiresAt }),
	};
}

function lower(field: string, parent: Micros | undefined, wanted: Micros | undefined) {
	if (parent === undefined || wanted === undefined) return wanted ?? parent;
	if (wanted <= parent) return wanted;
	throw wider(field, `at most ${formatUsd(parent)} USD, as of the token itself`);
}

function earlier(parent: number | undefined, wanted: number | undefined) {
	if (parent === undefined || wanted === undefined) return wanted ?? parent;
	if (wanted <= parent) return wanted;
	throw wider("expires_in_days", `no later than the token itself, ${toIsoTime(parent)}`);
}

/** An empty list means everything. */
function subset(
	field: string,
	parent: readonly string[],
	wanted: readonly string[] | undefined,
	/** Names that mean the same have one. */
	toName: (id: string) => string = (id) => id,
): readonly string[] {
	if (!wanted || wanted.length === 0 || parent.length === 0)
		return wanted?.length ? wanted : parent;
	const allowed = new Set(parent.map(toName));
	if (wanted.every((id) => allowed.has(toName(id)))) return wanted;
	throw wider(field, `among the token's own: ${parent.slice(0, 20).join(", ")}`);
}

function wider(field: string, bound: string): ServiceError {
	return new ServiceError(
		"SCOPE_FORBIDDEN",
		`A delegated token cannot do more than the token it comes from: "${field}" must be ${bound}.`,
	);
}
