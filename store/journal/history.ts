import { invalidArgument } from "../../src/kernel/kernel.js";
import type {
	CommittedTransaction,
	LedgerTransaction,
	Operation,
	ReceiptPage,
	ReceiptRow,
	StatementPage,
	StatementRequest,
} from "../store.js";
import type { JournalReader } from "./journal-reader.js";
import type { FrameBody } from "./operation.js";
import type { SegmentFacts } from "./segments.js";

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
		const postings = operations.flatMap((one) => (one.kind === "post" ? one.transaction : []));
		const receipts = operations.flatMap(receiptOf);
		if (postings.length > 0 || receipts.length > 0) yield { postings, receipts };
	}
}

function receiptOf(operation: Operation): ReceiptRow | [] {
	if (operation.kind !== "put" || operation.table !== "receipts") return [];
	return operation.row as ReceiptRow;
}

/** Segments one question looks at, 4 MiB each: their text is searched, and decoded only where the owner is named. */
const SEGMENTS_PER_PAGE = 16;

/** Newest first: the segments are walked back from the last one, or from where the last page stopped. */
async function pageBack<T>(
	segments: readonly SegmentFacts[],
	{
		limit,
		cursor,
		find,
		isOldest = () => false,
	}: StatementRequest & {
		/** What one segment holds, oldest first; it never changes but at its end. */
		readonly find: (facts: SegmentFacts) => Promise<readonly T[]>;
		/** True for what nothing can be older than. */
		readonly isOldest?: (item: T) => boolean;
	},
): Promise<{ readonly items: readonly T[]; readonly next: string | undefined }> {
	const from = cursor === undefined ? undefined : parseCursor(cursor);
	const older = segments.filter(({ number }) => number <= (from?.segment ?? number)).reverse();
	const items: T[] = [];
	for (const [index, facts] of older.entries()) {
		const { number } = facts;
		if (index === SEGMENTS_PER_PAGE) return { items, next: toCursor(number) };
		const found = await find(facts);
		const end = number === from?.segment ? (from.end ?? found.length) : found.length;
		const start = Math.max(0, end - (limit - items.length));
		items.push(...found.slice(start, end).reverse());
		const [first] = found;
		if (start === 0 && first !== undefined && isOldest(first)) return { items, next: undefined };
		if (items.length === limit) return { items, next: toCursor(number, start) };
	}
	return { items, next: undefined };
}

/** Where to go on: a segment, and how many of its items are still to come; all of them where that is left out. */
function toCursor(segment: number, end?: number): string {
	return Buffer.from(`${segment}.${end ?? ""}`).toString("base64url");
}

function parseCursor(text: string) {
	const match = /^(\d{1,9})\.(\d{0,9})$/.exec(Buffer.from(text, "base64url").toString("latin1"));
	if (!match) {
		throw invalidArgument(
			'The cursor is not one of ours; send "next_cursor" of the page before as it was.',
		);
	}
	const [, segment, end] = match;
	return { segment: Number(segment), end: end === "" ? undefined : Number(end) };
}

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
	const operations = await operationsIn(reader, facts, `:${owner}"`);
	return operations.flatMap((operation) => {
		if (operation.kind !== "post") return [];
		const { entries } = operation.transaction;
		return entries.some(({ account }) => accounts.has(account)) ? operation.transaction : [];
	});
}

async function receiptsIn(
	reader: Reader,
	facts: SegmentFacts,
	owner: string,
): Promise<ReceiptRow[]> {
	const operations = await operationsIn(reader, facts, `"owner":"${owner}"`);
	return operations.flatMap(receiptOf).filter((receipt) => receipt.owner === owner);
}

/** Operations of the frames whose text holds the mark. */
async function operationsIn(
	reader: Reader,
	facts: SegmentFacts,
	mark: string,
): Promise<readonly Operation[]> {
	const found: Operation[] = [];
	for await (const frame of reader.readMentions(facts, mark)) {
		found.push(...frame.body().transactions.flat());
	}
	return found;
}
