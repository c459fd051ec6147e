import { type Clock, type Ids, type Micros, ServiceError } from "../../src/kernel/kernel.js";
import {
	LedgerRefusal,
	type LedgerTransaction,
	type PaymentRow,
	type Store,
} from "../../store/store.js";
import {
	type ChainReader,
	placeIn,
	type SettlementTerms,
	settlementKey,
	type TransferSpan,
} from "../onchain/onchain.js";
import { toEntries } from "../payments.js";

/** A movement that both sides know, with different amounts. */
interface Difference extends Movement {
	readonly ledgerMicros: Micros;
}

export type Reconciliation = Awaited<ReturnType<typeof reconcile>>;

const DAY_MS = 24 * 3_600_000;

/** Compares every transfer with every booking; the chain is read first and the journal last, so that what settles meanwhile is never unexplained. */
export async function reconcile(deps: {
	readonly store: Store;
	readonly clock: Clock;
	readonly chain: ChainReader;
	readonly terms: SettlementTerms;
	readonly onProgress?: TransferSpan["onProgress"];
}) {
	const { store, clock, chain, terms } = deps;
	const startedAt = clock.now();
	const sinceMs = (await findBeginning(store, startedAt)) - DAY_MS;
	const onChain = await readChain(chain, terms, { sinceMs, onProgress: deps.onProgress });
	const chainBalanceMicros = await chain.balanceOf(terms, terms.payTo);
	const isOpen = await readOpen(store);
	const ledgerOnly: Movement[] = [];
	const differing: Difference[] = [];
	const matched = { count: 0, inMicros: 0n, outMicros: 0n };
	for await (const booked of readLedger(store, terms.network)) {
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
	const unbooked = [...onChain.values()].flat();
	const cash = await store.read((reader) => reader.balance(cashAccountOf(terms.network)));
	return {
		matched,
		/** Booked, and the chain does not show it. */
		ledgerOnly: ledgerOnly.filter(({ amountMicros }) => amountMicros > 0n),
		/** On the chain, and not booked. */
		chainOnly: unbooked.filter((movement) => !isOpen(movement)),
		differing,
		/** Unbooked, and a payment whose outcome is open explains it. */
		open: unbooked.filter(isOpen),
		/** Balance of our address on the chain, whatever moved it. */
		chainBalanceMicros,
		/** What the ledger says came in less what went out. */
		ledgerBalanceMicros: -cash,
	};
}

/** When anything was booked or paid first: a public chain has years before that, and nothing of ours in them. */
async function findBeginning(store: Store, now: number): Promise<number> {
	const payments = await store.read((reader) => reader.list("payments"));
	const beginning = payments.reduce((oldest, { createdAt }) => Math.min(oldest, createdAt), now);
	for await (const { postings } of store.history()) {
		return postings.reduce((oldest, { at }) => Math.min(oldest, at), beginning);
	}
	return beginning;
}

/** Whether a payment or refund that is under way explains a movement. */
async function readOpen(store: Store): Promise<(movement: Movement) => boolean> {
	const { payments, refunds } = await store.read(async (reader) => ({
		payments: (await reader.list("payments")).filter(({ state }) => OPEN_STATES.has(state)),
		refunds: await reader.list("refunds"),
	}));
	const underWay = new Set(
		refunds.flatMap(({ state, transactionHash }) =>
			state === "paying" && transactionHash ? [transactionHash.toLowerCase()] : [],
		),
	);
	return (movement) =>
		underWay.has(movement.transactionHash) || payments.some((row) => explains(row, movement));
}

/** One that is reserved may be sent at any moment. */
const OPEN_STATES: ReadonlySet<PaymentRow["state"]> = new Set([
	"reserved",
	"settling",
	"unknown",
	"refused",
]);

/** The payment's own transaction, or where that is not known yet a transfer that could be it. */
function explains(row: PaymentRow, { transactionHash, direction, ...movement }: Movement): boolean {
	if (direction !== "in") return false;
	if (row.transactionHash !== undefined) {
		return row.transactionHash.toLowerCase() === transactionHash;
	}
	return (
		row.payer.toLowerCase() === movement.counterparty && row.amountMicros === movement.amountMicros
	);
}

/** The transfer of a booking, else one of the same amount: accepted settlements have no log index, and a reorganization may change it. */
function takeMatch(
	{ logIndex, amountMicros }: Movement,
	moved: Movement[] = [],
): Movement | undefined {
	const isThere = (movement: Movement) => movement.logIndex === logIndex;
	const isAlike = (movement: Movement) => movement.amountMicros === amountMicros;
	const index = [moved.findIndex(isThere), moved.findIndex(isAlike), 0].find((at) => at >= 0);
	return moved.splice(index ?? 0, 1)[0];
}

/** By transaction: one may hold several incoming transfers; outgoing ones are booked under the hash alone. */
async function readChain(
	chain: ChainReader,
	terms: SettlementTerms,
	span: TransferSpan,
): Promise<Map<string, Movement[]>> {
	const found = new Map<string, Movement[]>();
	const ours = terms.payTo.toLowerCase();
	for await (const transfer of chain.transfers(terms, span)) {
		const { transactionHash, logIndex, from, to, value, at } = transfer;
		const [sender, receiver] = [from.toLowerCase(), to.toLowerCase()];
		// Anyone can emit a transfer of zero, in our name too.
		if (sender === receiver || value === 0n) continue;
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

function keyOf({ direction, transactionHash }: Movement): string {
	return `${direction} ${transactionHash}`;
}

/** Money that moved to or from our address, on the chain or in the ledger. */
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

const cashAccountOf = (network: string): string => `cash:x402:${network}`;

/** What moved cash of this network, oldest first, and what took the name of a transfer and moved nothing. */
async function* readLedger(store: Store, network: string): AsyncGenerator<Movement> {
	for await (const { postings } of store.history()) {
		yield* postings.flatMap((posting) => toMovement(posting, network) ?? []);
	}
}

/** Money that came in lies in a cash account with its sign turned. */
function toMovement(posting: LedgerTransaction, network: string): Movement | undefined {
	const { id, key = id, ref, at } = posting;
	const amount = amountOn(posting, cashAccountOf(network));
	if (amount !== 0n) {
		const [direction, amountMicros] =
			amount < 0n ? (["in", -amount] as const) : (["out", amount] as const);
		return { ...placeIn(key), direction, amountMicros, at, counterparty: ref };
	}
	const [, verb, place] = /^(settle|payout):(.+?):0x/.exec(key) ?? [];
	if (place !== network) return undefined;
	const direction = verb === "settle" ? "in" : "out";
	return { ...placeIn(key), direction, amountMicros: 0n, at, counterparty: ref };
}

function amountOn({ entries }: LedgerTransaction, account: string): Micros {
	let amount = 0n;
	for (const entry of entries) if (entry.account === account) amount += entry.amountMicros;
	return amount;
}

/** Books an unexplained movement to `suspense`; false when it was booked meanwhile. */
export async function bookUnexplained(
	{ store, clock, ids }: { store: Store; clock: Clock; ids: Ids },
	network: string,
	{ direction, amountMicros, counterparty, ...place }: Movement,
): Promise<boolean> {
	if (amountMicros <= 0n) throw new ServiceError("INTERNAL", "A booking must be above zero.");
	const sign = direction === "in" ? 1n : -1n;
	const name = settlementKey(network, place);
	const posting: LedgerTransaction = {
		id: ids.next("txn"),
		key: direction === "in" ? name : name.replace(/^settle:/, "payout:"),
		kind: "adjust",
		at: clock.now(),
		entries: toEntries(cashAccountOf(network), "suspense", sign * amountMicros),
		ref: `${network}:${counterparty}`,
		memo: "unexplained on the chain",
	};
	try {
		await store.transaction((tx) => tx.post(posting));
		return true;
	} catch (error) {
		if (error instanceof LedgerRefusal && error.reason === "duplicate_key") return false;
		throw error;
	}
}
