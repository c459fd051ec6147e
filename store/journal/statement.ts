import { ServiceError } from "../../src/core/errors.js";
import type { LedgerTransaction, StatementPage, StatementRequest } from "../store.js";
import type { JournalReader } from "./journal-reader.js";
import type { SegmentFacts } from "./segment.js";

/** Segments one question looks at, 4 MiB each: their text is searched, and decoded only where the owner is named. */
const SEGMENTS_PER_PAGE = 16;

/** Postings of one owner, newest first: the journal is walked back from its end, or from where the last page stopped. */
export async function readStatement(
	reader: Pick<JournalReader, "readMentions">,
	segments: readonly SegmentFacts[],
	{ owner, limit, cursor }: StatementRequest & { readonly owner: string },
): Promise<StatementPage> {
	const from = cursor === undefined ? undefined : parseCursor(cursor);
	const older = segments.filter(({ number }) => number <= (from?.segment ?? number)).reverse();
	const postings: LedgerTransaction[] = [];
	for (const [index, facts] of older.entries()) {
		const { number } = facts;
		if (index === SEGMENTS_PER_PAGE) return { postings, next: toCursor(number) };
		const found = await postingsIn(reader, facts, owner);
		const end = number === from?.segment ? (from.end ?? found.length) : found.length;
		const start = Math.max(0, end - (limit - postings.length));
		postings.push(...found.slice(start, end).reverse());
		// Nothing is older than the posting that brought the token's first balance.
		if (start === 0 && found[0]?.key === `issue:${owner}`) return { postings, next: undefined };
		if (postings.length === limit) return { postings, next: toCursor(number, start) };
	}
	return { postings, next: undefined };
}

async function postingsIn(
	reader: Pick<JournalReader, "readMentions">,
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

/** Where to go on: a segment, and how many of its postings are still to come; all of them where that is left out. */
interface Cursor {
	readonly segment: number;
	readonly end: number | undefined;
}

function toCursor(segment: number, end?: number): string {
	return Buffer.from(`${segment}.${end ?? ""}`).toString("base64url");
}

function parseCursor(text: string): Cursor {
	const match = /^(\d{1,9})\.(\d{0,9})$/.exec(Buffer.from(text, "base64url").toString("latin1"));
	if (!match) {
		throw new ServiceError(
			"INVALID_ARGUMENT",
			'The cursor is not one of ours; send "next_cursor" of the page before as it was.',
		);
	}
	const [, segment, end] = match;
	return { segment: Number(segment), end: end === "" ? undefined : Number(end) };
}
