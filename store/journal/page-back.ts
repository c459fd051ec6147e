import { ServiceError } from "../../src/kernel/kernel.js";
import type { StatementRequest } from "../store.js";
import type { SegmentFacts } from "./segment.js";

/** Segments one question looks at, 4 MiB each: their text is searched, and decoded only where the owner is named. */
const SEGMENTS_PER_PAGE = 16;

export interface PageBack<T> {
	readonly items: readonly T[];
	/** Undefined when nothing older is left. */
	readonly next: string | undefined;
}

export interface PageBackRequest<T> extends StatementRequest {
	/** What one segment holds, oldest first; it never changes but at its end. */
	readonly find: (facts: SegmentFacts) => Promise<readonly T[]>;
	/** True for what nothing can be older than. */
	readonly isOldest?: (item: T) => boolean;
}

/** Newest first: the segments are walked back from the last one, or from where the last page stopped. */
export async function pageBack<T>(
	segments: readonly SegmentFacts[],
	{ limit, cursor, find, isOldest = () => false }: PageBackRequest<T>,
): Promise<PageBack<T>> {
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
