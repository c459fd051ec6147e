import type {
	LedgerTransaction,
	ReceiptPage,
	ReceiptRow,
	StatementPage,
	StatementRequest,
} from "../store.js";
import type { JournalReader } from "./journal-reader.js";
import { pageBack } from "./page-back.js";
import type { SegmentFacts } from "./segment.js";

type Reader = Pick<JournalReader, "readMentions">;
type OwnersPage = StatementRequest & { readonly owner: string };

/** Postings of one owner, newest first: the journal is walked back from its end, or from where the last page stopped. */
export async function readStatement(
	reader: Reader,
	segments: readonly SegmentFacts[],
	{ owner, ...page }: OwnersPage,
): Promise<StatementPage> {
	const { items: postings, next } = await pageBack(segments, {
		...page,
		find: (facts) => postingsIn(reader, facts, owner),
		// Nothing is older than the posting that brought the token's first balance.
		isOldest: ({ key }) => key === `issue:${owner}`,
	});
	return { postings, next };
}

/** Receipts of one owner, newest first; segments without any receipt are not looked at. */
export async function readReceipts(
	reader: Reader,
	segments: readonly SegmentFacts[],
	{ owner, since, ...page }: OwnersPage & { readonly since: number },
): Promise<ReceiptPage> {
	const holding = segments.filter(({ coldRange }) => coldRange && coldRange.to >= since);
	const find = (facts: SegmentFacts) => receiptsIn(reader, facts, owner);
	const { items: receipts, next } = await pageBack(holding, { ...page, find });
	return { receipts, next };
}

async function postingsIn(
	reader: Reader,
	facts: SegmentFacts,
	owner: string,
): Promise<LedgerTransaction[]> {
	const accounts = new Set([`cust:${owner}`, `held:${owner}`]);
	const found: LedgerTransaction[] = [];
	for await (const frame of reader.readMentions(facts, `:${owner}"`)) {
		for (const operation of frame.body().transactions.flat()) {
			if (operation.kind !== "post") continue;
			const { entries } = operation.transaction;
			if (entries.some(({ account }) => accounts.has(account))) found.push(operation.transaction);
		}
	}
	return found;
}

async function receiptsIn(
	reader: Reader,
	facts: SegmentFacts,
	owner: string,
): Promise<ReceiptRow[]> {
	const found: ReceiptRow[] = [];
	for await (const frame of reader.readMentions(facts, `"owner":"${owner}"`)) {
		for (const operation of frame.body().transactions.flat()) {
			if (operation.kind !== "put" || operation.table !== "receipts") continue;
			const row = operation.row as ReceiptRow;
			if (row.owner === owner) found.push(row);
		}
	}
	return found;
}
