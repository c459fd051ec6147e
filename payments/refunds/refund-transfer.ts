import { ServiceError } from "../../src/kernel/kernel.js";
import type { RefundRow, Store } from "../../store/store.js";
import type { ChainTransfer, Hex, OnchainParts } from "../onchain/onchain.js";

/** Between our clock and the chain's. */
const CLOCK_SKEW_MS = 900_000;

/**
 * Hash of the transfer that pays this refund, as the chain shows it: by a hash we signed, else by what it says; one
 * that pays another refund does not count. Throws UNAVAILABLE when there is no chain to ask.
 */
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
export function networkOf(destination: string | undefined): string | undefined {
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
