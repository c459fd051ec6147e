import type { TableName } from "../store.js";
import type { JournalReader } from "./journal-reader.js";
import type { Row } from "./operation.js";
import { mayHold, type SegmentFacts } from "./segment.js";

/** Rows that are many and rarely read: not in memory, but for the latest ones. */
export interface ColdRows {
	/** Keeps a row at hand for a while; `done` tells when it is durable. */
	remember(table: TableName, row: Row, done: Promise<void>): void;
	/** The row once it is durable: a receipt that a crash could undo is not shown. */
	find(table: TableName, id: string): Promise<Row | undefined>;
	/** How many rows are at hand; bounded. */
	size(): number;
}

const REMEMBERED_ROWS = 2_048;

export function createColdRows({
	reader,
	segments,
}: {
	reader: JournalReader;
	segments: () => readonly SegmentFacts[];
}): ColdRows {
	const recent = new Map<string, { readonly row: Row; readonly done: Promise<void> }>();
	return {
		remember(table, row, done) {
			const key = `${table}/${row.id}`;
			recent.delete(key);
			recent.set(key, { row, done });
			if (recent.size <= REMEMBERED_ROWS) return;
			const [oldest = ""] = recent.keys();
			recent.delete(oldest);
		},
		async find(table, id) {
			const remembered = recent.get(`${table}/${id}`);
			if (remembered) {
				await remembered.done;
				return remembered.row;
			}
			// Newest first: what is asked for is seldom old.
			for (const facts of segments()
				.filter((segment) => mayHold(segment, id))
				.reverse()) {
				const row = await reader.findPut(facts, table, id);
				if (row) return row;
			}
			return undefined;
		},
		size: () => recent.size,
	};
}
