import type { GraphTermsSource, OwnerShare } from "../src/contract/contract.js";
import type { Micros } from "../src/kernel/kernel.js";
import type { LedgerEntry } from "../store/store.js";

/**
 * Revenue that belongs to the owners of a graph: beside the revenue a capture books what it owes them, `owed:<owner>`, against
 * `shares`, and a refund takes that back (docs/adr/0058).
 */

/** What all owners were ever due, less what refunds took back, with its sign turned. */
const SHARES_ACCOUNT = "shares";
export const owedAccount = (owner: string): string => `owed:${owner}`;
/** Who is owed what an account holds; undefined for all others. */
export function ownerOf(account: string): string | undefined {
	return account.startsWith("owed:") ? account.slice("owed:".length) : undefined;
}
/** Whose share stays where it is: revenue that nothing is owed of. */
export const OPERATOR = "operator";

/** What refers to a payout to an owner: it is paid, by hand or on the chain, and booked as a refund is. */
export const PAYOUT_REF = "owner:";
export function isPayout({ ref }: { readonly ref: string }): boolean {
	return ref.startsWith(PAYOUT_REF);
}

const WHOLE = 10_000n;

/** Who shares in the revenue of a call over these graphs: the owners of the one it names, else no one but the operator. */
export type OwnersOf = (graphIds: readonly string[]) => readonly OwnerShare[] | undefined;

export function createOwnersOf(graphs: Pick<GraphTermsSource, "find"> | undefined): OwnersOf {
	return (graphIds) => {
		const [graphId, ...others] = new Set(graphIds);
		if (graphId === undefined || others.length > 0) return undefined;
		const owners = graphs?.find(graphId)?.owners ?? [];
		return owners.length > 0 ? owners : undefined;
	};
}

/**
 * An amount by shares, exact to the micro-dollar: each gets the whole part of its share, and what is left goes one by one to the
 * largest remainders, among equal ones by name.
 */
export function splitMicros(
	amountMicros: Micros,
	owners: readonly OwnerShare[],
): ReadonlyMap<string, Micros> {
	const parts = owners.map(({ owner, basisPoints }) => {
		const exact = amountMicros * BigInt(basisPoints);
		return { owner, micros: exact / WHOLE, remainder: exact % WHOLE };
	});
	let left = amountMicros - parts.reduce((sum, { micros }) => sum + micros, 0n);
	const order = [...parts].sort((a, b) => {
		if (a.remainder !== b.remainder) return a.remainder > b.remainder ? -1 : 1;
		return a.owner < b.owner ? -1 : 1;
	});
	const shares = new Map(parts.map(({ owner, micros }) => [owner, micros]));
	for (const { owner, micros } of order) {
		if (left === 0n) break;
		shares.set(owner, micros + 1n);
		left -= 1n;
	}
	return shares;
}

/** What is owed of an amount, the operator's own share not counted. */
export function owedOf(
	amountMicros: Micros,
	owners: readonly OwnerShare[] | undefined,
): ReadonlyMap<string, Micros> {
	const shares = new Map(splitMicros(amountMicros, owners ?? []));
	shares.delete(OPERATOR);
	return shares;
}

/** Entries that turn what was owed before into what is owed now; none where that is the same. */
export function shareEntries(
	before: ReadonlyMap<string, Micros>,
	now: ReadonlyMap<string, Micros>,
): readonly LedgerEntry[] {
	const names = [...new Set([...before.keys(), ...now.keys()])].sort();
	const entries = names
		.map((owner) => ({
			account: owedAccount(owner),
			amountMicros: (now.get(owner) ?? 0n) - (before.get(owner) ?? 0n),
		}))
		.filter(({ amountMicros }) => amountMicros !== 0n);
	const sum = entries.reduce((total, { amountMicros }) => total + amountMicros, 0n);
	if (sum === 0n) return entries;
	return [...entries, { account: SHARES_ACCOUNT, amountMicros: -sum }];
}

/** True for entries beside the money that moves. */
export function isShareAccount(account: string): boolean {
	return account === SHARES_ACCOUNT || account.startsWith("owed:");
}
