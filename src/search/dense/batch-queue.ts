import { unavailable } from "../../kernel/kernel.js";

interface BatchQueueOptions<Item, Result> {
	/** One result per item, in order. */
	readonly send: (items: readonly Item[]) => Promise<readonly Result[]>;
	/** What a batch holds at most; a single item may be larger. */
	readonly maxBatchItems: number;
	readonly maxBatchSize?: number;
	readonly sizeOf?: (item: Item) => number;
	/** Asked when the item's turn comes. */
	readonly isWanted?: (item: Item) => boolean;
	readonly maxWaitingItems: number;
}

interface Entry<Item, Result> {
	readonly item: Item;
	readonly resolve: (result: Result | undefined) => void;
	readonly reject: (error: unknown) => void;
}

/**
 * Collects items while a batch is under way and sends them together when it is back. The worker, not a timer, sets the pace: a
 * lone item leaves within the same tick, many leave in full batches.
 */
export function createBatchQueue<Item, Result>(options: BatchQueueOptions<Item, Result>) {
	const { send, maxBatchItems, maxBatchSize = Number.POSITIVE_INFINITY, maxWaitingItems } = options;
	const sizeOf = options.sizeOf ?? (() => 1);
	let queue: Entry<Item, Result>[] = [];
	/** Entries at the front that have been sent; they are cut off once in a while. */
	let left = 0;
	let isBusy = false;

	const nextBatch = (): readonly Entry<Item, Result>[] => {
		const batch: Entry<Item, Result>[] = [];
		let size = 0;
		for (; left < queue.length && batch.length < maxBatchItems; left++) {
			const entry = queue[left] as Entry<Item, Result>;
			if (options.isWanted?.(entry.item) === false) {
				entry.resolve(undefined);
				continue;
			}
			size += sizeOf(entry.item);
			if (size > maxBatchSize && batch.length > 0) break;
			batch.push(entry);
		}
		if (left > queue.length / 2) {
			queue = queue.slice(left);
			left = 0;
		}
		return batch;
	};
	const drain = async () => {
		for (let batch = nextBatch(); batch.length > 0; batch = nextBatch()) {
			try {
				const results = await send(batch.map(({ item }) => item));
				batch.forEach((entry, index) => {
					entry.resolve(results[index]);
				});
			} catch (error) {
				for (const entry of batch) entry.reject(error);
			}
		}
		isBusy = false;
	};

	return {
		/** Undefined when the item was dropped. Rejects with UNAVAILABLE when too many already wait, else as `send` does. */
		send(item: Item): Promise<Result | undefined> {
			if (queue.length - left >= maxWaitingItems) {
				return Promise.reject(unavailable("Too many texts already wait for the embedding model."));
			}
			return new Promise((resolve, reject) => {
				queue.push({ item, resolve, reject });
				if (isBusy) return;
				isBusy = true;
				queueMicrotask(() => void drain());
			});
		},
	};
}
