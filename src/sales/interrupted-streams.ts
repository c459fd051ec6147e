import type { ReceiptRow, Store, StoreReader, StreamRow } from "../../store/store.js";
import { grantIdOf, isWallet } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import {
	type RunningStream,
	replacedNameOf,
	type StreamOwner,
	streamRowsOf,
	toStreamRow,
	type WantedStream,
} from "./stream-rows.js";

/** A stream that was paid for and ended with its process before it was whole. */
export interface InterruptedStream {
	readonly row: StreamRow;
	readonly receipt: ReceiptRow;
}

export type InterruptedStreams = ReturnType<typeof createInterruptedStreams>;

export function createInterruptedStreams(deps: {
	readonly store: Pick<Store, "read" | "transaction">;
	readonly clock: Clock;
}) {
	const { store, clock } = deps;
	return {
		/** One of the caller's, whose work can begin again. */
		async find(caller: StreamOwner, wanted: WantedStream): Promise<InterruptedStream | undefined> {
			const rows =
				"id" in wanted
					? await streamRowsOf(deps, caller, wanted.id)
					: [await store.read((reader) => reader.get("streams", wanted.name))];
			const row = rows.find((one) => one && mayGoOn(caller, one) && one.expiresAt > clock.now());
			return row && store.read((reader) => paidAndLeft(reader, row));
		},

		/** Another stream is written in its place. False where another process was faster, or where money went back. */
		takeUp(
			{ row: { id, streamId, processId }, receipt }: InterruptedStream,
			running: Pick<RunningStream, "record" | "name"> & { readonly payer: StreamOwner },
		): Promise<boolean> {
			return store.transaction(async (tx) => {
				const row = await tx.get("streams", id);
				if (row?.streamId !== streamId || row.processId !== processId) return false;
				if ((await tx.findBy("refunds", "ref", receipt.id)).length > 0) return false;
				const { processId: _, ...earlier } = row;
				const writtenBy = { processId: tx.processId, receiptId: receipt.id };
				const next = toStreamRow(running, writtenBy, clock);
				const replaced = { replacedBy: running.record.id, expiresAt: next.expiresAt };
				await tx.put("streams", next);
				await tx.put("streams", { ...earlier, id: replacedNameOf(streamId), ...replaced });
				return true;
			});
		},
	};
}

/** Another key of the same account goes on with its own streams alone; a wallet has nothing to show but the stream's id. */
function mayGoOn({ access }: StreamOwner, { owner, grantId }: StreamRow): boolean {
	return isWallet(owner) || grantId === grantIdOf(access);
}

async function paidAndLeft(
	reader: StoreReader,
	row: StreamRow,
): Promise<InterruptedStream | undefined> {
	const { processId, receiptId } = row;
	if (processId === undefined || receiptId === undefined) return undefined;
	if (await reader.isAlive(processId)) return undefined;
	const receipt = await reader.get("receipts", receiptId);
	return receipt && { row, receipt };
}
