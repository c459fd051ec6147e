import { refundedOf } from "../../payments/refunds/refunds.js";
import type { ReceiptRow, Store, StoreReader, StreamRow } from "../../store/store.js";
import { grantIdOf, isWallet } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { GENERATIONS_MAX } from "./stream-record.js";
import {
	isStreamWritten,
	latestStreamRow,
	type RunningStream,
	type StreamOwner,
	toStreamRows,
	type WantedStream,
} from "./stream-rows.js";

/** A stream that was paid for and ended with its process before it was whole. */
export interface InterruptedStream {
	/** Its own. */
	readonly row: StreamRow;
	readonly receipt: ReceiptRow;
}

export type InterruptedStreams = ReturnType<typeof createInterruptedStreams>;

export function createInterruptedStreams({
	store,
	clock,
}: {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
}) {
	return {
		/** One of the caller's, whose work can begin again. */
		find: (caller: StreamOwner, wanted: WantedStream): Promise<InterruptedStream | undefined> =>
			store.read(async (reader) => {
				const row = await findRow(reader, wanted);
				const isLeft =
					row && mayGoOn(caller, row) && (await isInterrupted(reader, row, clock.now()));
				const receipt = isLeft ? await findPaid(reader, row) : undefined;
				return row && receipt && { row, receipt };
			}),

		/** Another stream is written in its place. False where another process was faster, or where the price went back. */
		takeUp(
			{ row: { id, processId } }: InterruptedStream,
			running: Pick<RunningStream, "record" | "name"> & { readonly payer: StreamOwner },
		): Promise<boolean> {
			return store.transaction(async (tx) => {
				const row = await tx.get("streams", id);
				if (!row || row.replacedBy !== undefined || row.processId !== processId) return false;
				const receipt = await findPaid(tx, row);
				if (!receipt) return false;
				const writtenBy = { processId: tx.processId, receiptId: receipt.id };
				const [own, named] = toStreamRows(running, clock, writtenBy);
				const { processId: _, ...ended } = row;
				const replaced = { replacedBy: own.streamId, expiresAt: own.expiresAt };
				await tx.put("streams", own);
				await tx.put("streams", { ...ended, ...replaced });
				// Another stream of the same question may have been bought since.
				const latest = await tx.get("streams", named.id);
				if (!latest || latest.streamId === row.streamId) await tx.put("streams", named);
				return true;
			});
		},
	};
}

async function findRow(reader: StoreReader, wanted: WantedStream): Promise<StreamRow | undefined> {
	const id = "id" in wanted ? wanted.id : (await reader.get("streams", wanted.name))?.streamId;
	return id === undefined ? undefined : latestStreamRow(reader, id);
}

async function isInterrupted(reader: StoreReader, row: StreamRow, now: number): Promise<boolean> {
	if (row.processId === undefined || row.expiresAt <= now) return false;
	return !(await isStreamWritten(reader, row, now));
}

/** Another key of the same account goes on with its own streams alone; a wallet has nothing to show but the stream's id. */
function mayGoOn({ owner, access }: StreamOwner, row: StreamRow): boolean {
	return isWallet(row.owner) || (row.owner === owner && row.grantId === grantIdOf(access));
}

/** What paid for it, unless all of it went back. */
async function findPaid(
	reader: StoreReader,
	{ receiptId, generation = 0 }: StreamRow,
): Promise<ReceiptRow | undefined> {
	if (receiptId === undefined || generation >= GENERATIONS_MAX) return undefined;
	const receipt = await reader.get("receipts", receiptId);
	if (!receipt || (await refundedOf(reader, receiptId)) >= receipt.amountMicros) return undefined;
	return receipt;
}
