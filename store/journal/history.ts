import type { CommittedTransaction, LedgerTransaction, ReceiptRow } from "../store.js";
import type { JournalReader } from "./journal-reader.js";
import type { FrameBody, Operation } from "./operation.js";
import type { SegmentFacts } from "./segment.js";

/** What every transaction of the given segments left in the books, oldest first; one frame is in memory at a time. */
export async function* readHistory(
	reader: JournalReader,
	segments: readonly SegmentFacts[],
): AsyncGenerator<CommittedTransaction> {
	for (const facts of segments) {
		for await (const { body } of reader.readFrames(facts)) yield* committedIn(body());
	}
}

/** Transactions of a frame that moved money or wrote a receipt. */
export function* committedIn({ transactions }: FrameBody): Generator<CommittedTransaction> {
	for (const operations of transactions) {
		const committed = toCommitted(operations);
		if (committed) yield committed;
	}
}

function toCommitted(operations: readonly Operation[]): CommittedTransaction | undefined {
	const postings: LedgerTransaction[] = [];
	const receipts: ReceiptRow[] = [];
	for (const operation of operations) {
		if (operation.kind === "post") postings.push(operation.transaction);
		else if (operation.kind === "put" && operation.table === "receipts") {
			receipts.push(operation.row as ReceiptRow);
		}
	}
	return postings.length > 0 || receipts.length > 0 ? { postings, receipts } : undefined;
}
