import type { Clock } from "../src/core/clock.js";
import type { Ids } from "../src/core/ids.js";
import type { Micros } from "../src/core/money.js";
import type { LedgerTransaction, PaymentRow, Store } from "../store/store.js";
import type { ChainReader, SettlementTerms } from "./x402/facilitator.js";
import { placeIn, settlementKey } from "./x402/settlement-book.js";

/** Money that moved to our address or from it, as one side tells it. */
export interface Movement {
	readonly transactionHash: string;
	/** Place of the transfer in its block, where the chain was read. */
	readonly logIndex?: number | undefined;
	readonly direction: "in" | "out";
	readonly amountMicros: Micros;
	/** Epoch milliseconds. */
	readonly at: number;
	/** The other address; on the ledger's side what the posting refers to. */
	readonly counterparty: string;
}

/** A movement that both sides know, with different amounts. */
export interface Difference extends Movement {
	readonly ledgerMicros: Micros;
}

export interface Reconciliation {
	readonly matched: {
		readonly count: number;
		readonly inMicros: Micros;
		readonly outMicros: Micros;
	};
	/** Booked, and the chain does not show it. */
	readonly ledgerOnly: readonly Movement[];
	/** On the chain, and nobody booked it. */
	readonly chainOnly: readonly Movement[];
	readonly differing: readonly Difference[];
	/** Unbooked, and a payment whose outcome is open explains it. */
	readonly open: readonly Movement[];
	/** Balance of our address on the chain, whatever moved it. */
	readonly chainBalanceMicros: Micros;
	/** What the ledger says came in less what went out. */
	readonly ledgerBalanceMicros: Micros;
}

export interface ReconcileDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly chain: ChainReader;
	readonly terms: SettlementTerms;
}

const cashAccountOf = (network: string): string => `cash:x402:${network}`;

/**
 * Holds every transfer on the chain against every booking, one by one. The chain is read first, so that whatever
 * settles meanwhile is missing on the ledger's side at worst, where its payment is still open.
 */
export async function reconcile(deps: ReconcileDeps): Promise<Reconciliation> {
	const { store, clock, chain, terms } = deps;
	const startedAt = clock.now();
	const onChain = await readChain(chain, terms);
	const chainBalanceMicros = await chain.balanceOf(terms, terms.payTo);
	const ledgerOnly: Movement[] = [];
	const differing: Difference[] = [];
	const matched = { count: 0, inMicros: 0n, outMicros: 0n };
	for await (const booked of readLedger(store, cashAccountOf(terms.network))) {
		const moved = takeMatch(booked, onChain.get(keyOf(booked)));
		if (!moved) {
			if (booked.at < startedAt) ledgerOnly.push(booked);
		} else if (moved.amountMicros !== booked.amountMicros) {
			differing.push({ ...moved, ledgerMicros: booked.amountMicros });
		} else {
			matched.count += 1;
			matched[moved.direction === "in" ? "inMicros" : "outMicros"] += moved.amountMicros;
		}
	}
	const payments = await store.read((reader) => reader.list("payments"));
	const refunds = await store.read((reader) => reader.list("refunds"));
	const underWay = new Set(
		refunds.flatMap(({ state, transactionHash }) =>
			state === "paying" && transactionHash ? [transactionHash.toLowerCase()] : [],
		),
	);
	const isOpen = (movement: Movement) =>
		underWay.has(movement.transactionHash) || payments.some((row) => explains(row, movement));
	const unbooked = [...onChain.values()].flat();
	const cash = await store.read((reader) => reader.balance(cashAccountOf(terms.network)));
	return {
		matched,
		ledgerOnly,
		chainOnly: unbooked.filter((movement) => !isOpen(movement)),
		differing,
		open: unbooked.filter(isOpen),
		chainBalanceMicros,
		ledgerBalanceMicros: -cash,
	};
}

const OPEN_STATES: ReadonlySet<PaymentRow["state"]> = new Set(["settling", "unknown", "refused"]);

/** The payment's own transaction, or where that is not known yet a transfer that could be it. */
function explains(row: PaymentRow, { transactionHash, direction, ...movement }: Movement): boolean {
	if (direction !== "in" || !OPEN_STATES.has(row.state)) return false;
	if (row.transactionHash !== undefined) {
		return row.transactionHash.toLowerCase() === transactionHash;
	}
	return (
		row.payer.toLowerCase() === movement.counterparty && row.amountMicros === movement.amountMicros
	);
}

/**
 * The transfer a booking is about. A believed facilitator names the transaction alone, and a reorganised chain may have
 * moved the transfer: then the one of its amount is meant.
 */
function takeMatch(
	{ logIndex, amountMicros }: Movement,
	moved: Movement[] = [],
): Movement | undefined {
	const isThere = (movement: Movement) => movement.logIndex === logIndex;
	const isAlike = (movement: Movement) => movement.amountMicros === amountMicros;
	const index = [moved.findIndex(isThere), moved.findIndex(isAlike), 0].find((at) => at >= 0);
	return moved.splice(index ?? 0, 1)[0];
}

/** By transaction. Anybody may pay us several times in one; what we pay out in one is booked under its hash alone. */
async function readChain(
	chain: ChainReader,
	terms: SettlementTerms,
): Promise<Map<string, Movement[]>> {
	const found = new Map<string, Movement[]>();
	const ours = terms.payTo.toLowerCase();
	for await (const transfer of chain.transfers(terms)) {
		const { transactionHash, logIndex, from, to, value, at } = transfer;
		const [sender, receiver] = [from.toLowerCase(), to.toLowerCase()];
		if (sender === receiver) continue;
		const isIn = receiver === ours;
		const movement: Movement = {
			transactionHash: transactionHash.toLowerCase(),
			...(isIn && { logIndex }),
			direction: isIn ? "in" : "out",
			amountMicros: value,
			at,
			counterparty: isIn ? sender : receiver,
		};
		const key = keyOf(movement);
		const before = found.get(key) ?? [];
		const [{ amountMicros } = { amountMicros: 0n }] = before;
		found.set(
			key,
			isIn ? [...before, movement] : [{ ...movement, amountMicros: amountMicros + value }],
		);
	}
	return found;
}

async function* readLedger(store: Store, account: string): AsyncGenerator<Movement> {
	for await (const { postings } of store.history()) {
		for (const posting of postings) {
			const amount = amountOn(posting, account);
			if (amount !== 0n) yield toMovement(posting, amount);
		}
	}
}

/** Money that came in lies in a cash account with its sign turned. */
function toMovement({ id, key = id, ref, at }: LedgerTransaction, amount: Micros): Movement {
	return {
		...placeIn(key),
		direction: amount < 0n ? "in" : "out",
		amountMicros: amount < 0n ? -amount : amount,
		at,
		counterparty: ref,
	};
}

function amountOn({ entries }: LedgerTransaction, account: string): Micros {
	let amount = 0n;
	for (const entry of entries) if (entry.account === account) amount += entry.amountMicros;
	return amount;
}

function keyOf({ direction, transactionHash }: Movement): string {
	return `${direction} ${transactionHash}`;
}

/** Books a movement nobody accounts for to `suspense`, where it waits for an explanation; a second booking is refused. */
export function bookUnexplained(
	{ store, clock, ids }: { store: Store; clock: Clock; ids: Ids },
	network: string,
	{ direction, amountMicros, counterparty, ...place }: Movement,
): Promise<void> {
	const sign = direction === "in" ? 1n : -1n;
	const name = settlementKey(network, place);
	return store.transaction((tx) =>
		tx.post({
			id: ids.next("txn"),
			key: direction === "in" ? name : name.replace(/^settle:/, "payout:"),
			kind: "adjust",
			at: clock.now(),
			entries: [
				{ account: cashAccountOf(network), amountMicros: -sign * amountMicros },
				{ account: "suspense", amountMicros: sign * amountMicros },
			],
			ref: `${network}:${counterparty}`,
			memo: "unexplained on the chain",
		}),
	);
}
