import { type Clock, type Ids, type Micros, ServiceError } from "../../src/kernel/kernel.js";
import { LedgerRefusal, type LedgerTransaction, type Store } from "../../store/store.js";
import { placeIn, settlementKey } from "../onchain/onchain.js";

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

export const cashAccountOf = (network: string): string => `cash:x402:${network}`;

/** What moved cash of this network, oldest first, and what took the name of a transfer and moved nothing. */
export async function* readLedger(store: Store, network: string): AsyncGenerator<Movement> {
	for await (const { postings } of store.history()) {
		for (const posting of postings) {
			const movement = toMovement(posting, network);
			if (movement) yield movement;
		}
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

/**
 * Books a movement nobody accounts for to `suspense`, where it waits for an explanation. False when it was booked
 * meanwhile.
 */
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
		entries: [
			{ account: cashAccountOf(network), amountMicros: -sign * amountMicros },
			{ account: "suspense", amountMicros: sign * amountMicros },
		],
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
