import { type Clock, type Ids, ServiceError } from "../../src/kernel/kernel.js";
import type { RefundRow, Store, StoreReader, StoreTransaction } from "../../store/store.js";
import type { ChainTransfer, Hex, OnchainParts } from "../onchain/onchain.js";
import { REFUNDS_ACCOUNT, toEntries } from "../payments.js";

export interface RefundBookDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Ledger account that refunds without a wallet are paid from. */
	readonly manualSource: string;
}

/** Money leaves `refunds`, once, and one transaction on the chain pays one refund. */
export function markPaid(
	{ store, clock, ids, manualSource }: RefundBookDeps,
	id: string,
	{ transactionHash }: { transactionHash: string | undefined },
): Promise<RefundRow> {
	return store.transaction(async (tx) => {
		const row = await getRefund(tx, id);
		// The reconciler may have been faster.
		if (isPaidBy(row, transactionHash)) return row;
		assertPayable(row, transactionHash);
		await assertUnused(tx, transactionHash);
		const network = networkOf(row.destination);
		const cash = network === undefined ? manualSource : `cash:x402:${network}`;
		const now = clock.now();
		await tx.post({
			id: ids.next("txn"),
			key: transactionHash ? `payout:${network ?? "manual"}:${transactionHash}` : `payout:${id}`,
			kind: "payout",
			at: now,
			entries: toEntries(REFUNDS_ACCOUNT, cash, row.amountMicros),
			ref: id,
		});
		const paid: RefundRow = { ...row, state: "paid", transactionHash, paidAt: now };
		await tx.put("refunds", paid);
		return paid;
	});
}

function isPaidBy(row: RefundRow, transactionHash: string | undefined): boolean {
	return (
		row.state === "paid" && transactionHash !== undefined && row.transactionHash === transactionHash
	);
}

function assertPayable(
	{ id, state, destination }: RefundRow,
	transactionHash: string | undefined,
): void {
	if (state === "paid") throw paidAlready(id);
	if (destination !== undefined && transactionHash === undefined) {
		throw new ServiceError("INVALID_ARGUMENT", `Say by which transaction ${id} was paid: --tx.`);
	}
}

async function assertUnused(tx: StoreTransaction, transactionHash: string | undefined) {
	if (transactionHash === undefined) return;
	const other = (await tx.list("refunds")).find(
		(row) => row.state === "paid" && row.transactionHash === transactionHash,
	);
	if (!other) return;
	throw new ServiceError("INVALID_ARGUMENT", `That transaction paid the refund ${other.id}.`);
}

export function paidAlready(id: string): ServiceError {
	return new ServiceError("INVALID_ARGUMENT", `The refund ${id} is paid already.`);
}

export async function getRefund(reader: StoreReader, id: string): Promise<RefundRow> {
	const row = await reader.get("refunds", id);
	if (row) return row;
	throw new ServiceError("NOT_FOUND", `No refund is called "${id}".`);
}

/** Between our clock and the chain's. */
const CLOCK_SKEW_MS = 900_000;

/** Hash of the transfer on the chain that pays this refund, by its signed hashes, else by its content. Throws UNAVAILABLE without a chain. */
export async function findTransfer(
	{ store, onchain }: { store: Store; onchain?: Pick<OnchainParts, "terms" | "chain"> | undefined },
	row: RefundRow,
): Promise<string | undefined> {
	const { terms, chain } = onchain ?? {};
	if (!terms || !chain) {
		throw new ServiceError(
			"UNAVAILABLE",
			"No chain is configured to ask what became of the transfer.",
			{ retryable: false },
		);
	}
	const wanted = {
		row,
		to: addressOn(terms.network, row.destination ?? ""),
		sinceMs: (row.payingSince ?? row.createdAt) - CLOCK_SKEW_MS,
		used: await usedByOthers(store, row),
	};
	const ours = terms.payTo.toLowerCase();
	for await (const transfer of chain.transfers(terms, { sinceMs: wanted.sinceMs })) {
		if (transfer.from.toLowerCase() === ours && isIt(transfer, wanted)) {
			return transfer.transactionHash.toLowerCase();
		}
	}
	return undefined;
}

interface Wanted {
	readonly row: RefundRow;
	readonly to: Hex;
	readonly sinceMs: number;
	readonly used: ReadonlySet<string>;
}

function isIt(transfer: ChainTransfer, { row, to, sinceMs, used }: Wanted): boolean {
	const hash = transfer.transactionHash.toLowerCase();
	const signed = [row.transactionHash ?? [], row.earlierHashes ?? []].flat();
	if (signed.length > 0) return signed.some((one) => one.toLowerCase() === hash);
	const isSame = transfer.to.toLowerCase() === to && transfer.value === row.amountMicros;
	return isSame && transfer.at >= sinceMs && !used.has(hash);
}

async function usedByOthers(store: Store, { id }: RefundRow): Promise<ReadonlySet<string>> {
	const rows = await store.read((reader) => reader.list("refunds"));
	return new Set(
		rows.flatMap((row) => (row.id === id ? [] : (row.transactionHash?.toLowerCase() ?? []))),
	);
}

/** CAIP-2 of a CAIP-10 account. */
function networkOf(destination: string | undefined): string | undefined {
	return destination?.split(":").slice(0, 2).join(":");
}

/** The address of a CAIP-10 account on our network. */
export function addressOn(network: string, destination: string): Hex {
	const address = destination.split(":")[2] ?? "";
	if (networkOf(destination) === network && /^0x[0-9a-fA-F]{40}$/.test(address)) {
		return address.toLowerCase() as Hex;
	}
	throw new ServiceError(
		"INVALID_ARGUMENT",
		`${destination} is not on ${network}. Pay it yourself and record it with --tx <hash>.`,
	);
}
