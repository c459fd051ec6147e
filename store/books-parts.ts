import type { CommittedTransaction, Store } from "./store-port.js";

/** What one transaction left in the books, with what another store needs to keep it as this one does. */
export interface PlacedCommit extends CommittedTransaction {
	/** Of its frame or row; grows with the history. */
	readonly place: number;
	/** When it committed: milliseconds since the epoch. */
	readonly at: number;
}

/** Keys of the ledger that may not be used again yet, by the hour of their commit. */
export interface KeyHour {
	/** Hours since the epoch. */
	readonly hour: number;
	readonly keys: readonly string[];
}

export interface StoredDocument {
	readonly id: string;
	readonly text: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
}

/** What an adapter holds beyond what the port shows, read in small parts, for a copy of its books in another adapter. */
export interface BooksParts {
	/** Oldest first. */
	commits(): AsyncIterable<PlacedCommit>;
	/** Place of the last commit. */
	end(): Promise<number>;
	/** Oldest first. */
	ledgerKeys(): AsyncIterable<KeyHour>;
	/** Those that expire after `now`, in the order of their ids, each as it lies in the store. */
	documents(now: number): AsyncIterable<StoredDocument>;
	/** Rows of the cold table as they are found by their ids; undefined where those are what the history holds itself. */
	receipts?(): AsyncIterable<CommittedTransaction["receipts"][number]>;
}

/** Books that can be copied: nothing changes them meanwhile. */
export interface BooksSource extends BooksParts {
	readonly store: Pick<Store, "read" | "rows" | "queryLog">;
}

/** Called before each part of a long work; what it throws ends the work. */
export type AssertWanted = () => void;

export interface CopyProgress {
	readonly done: number;
	readonly total: number;
}

export interface CopyHooks {
	readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
	readonly assertWanted?: AssertWanted | undefined;
}

/** Groups what comes one by one, up to so many items and so many characters; one that is larger is alone. */
export async function* inGroups<T>(
	items: AsyncIterable<T> | Iterable<T>,
	{ most, chars, sizeOf }: { most: number; chars: number; sizeOf: (item: T) => number },
): AsyncGenerator<readonly T[]> {
	let group: T[] = [];
	let size = 0;
	for await (const item of items) {
		group.push(item);
		size += sizeOf(item);
		if (group.length < most && size < chars) continue;
		yield group;
		group = [];
		size = 0;
	}
	if (group.length > 0) yield group;
}
