import type { Clock } from "../../src/kernel/kernel.js";
import type { TimeRange } from "./segment.js";

/** Transactions that go to the disk as one frame and are answered together. */
export interface Batch {
	/** Milliseconds since the epoch at which the first of them committed. */
	readonly at: number;
	/** JSON of each transaction's operations. */
	readonly transactions: string[];
	/** Resolves once the frame is durable; rejects with UNAVAILABLE when that is unknown. */
	readonly done: Promise<void>;
	/** Ids of cold rows within. */
	coldRange: TimeRange | undefined;
}

/** A batch and the way to answer it. */
export interface OpenBatch extends Batch {
	/** When the first transaction joined, by a clock that never runs backwards. */
	readonly beganMs: number;
	characters: number;
	/** Somebody waits for it. */
	isUrgent: boolean;
	readonly resolve: () => void;
	readonly reject: (error: Error) => void;
}

/** Batches that wait for the disk, oldest first; the newest one still gathers transactions. */
export interface BatchLine {
	/** The batch that the next transaction belongs to. */
	current(): OpenBatch;
	newest(): OpenBatch | undefined;
	/** True unless all that is there can wait for more to come. */
	isDue(): boolean;
	/** Takes the oldest batch. */
	take(): OpenBatch | undefined;
	length(): number;
	rejectAll(error: Error): void;
}

/** A batch beyond this many characters is full; the next transaction begins another. */
const FULL_CHARS = 1024 * 1024;

export function createBatchLine(clock: Clock): BatchLine {
	const waiting: OpenBatch[] = [];
	return {
		current() {
			const last = waiting.at(-1);
			if (last && last.characters < FULL_CHARS) return last;
			const batch = createBatch(clock.now(), clock.monotonicMs());
			waiting.push(batch);
			return batch;
		},
		newest: () => waiting.at(-1),
		// A sync for deferred transactions alone would be wasted: the next durable one takes them along.
		isDue: () => waiting[0]?.isUrgent === true || waiting.length > 1,
		take: () => waiting.shift(),
		length: () => waiting.length,
		rejectAll(error) {
			for (const batch of waiting.splice(0)) batch.reject(error);
		},
	};
}

function createBatch(at: number, beganMs: number): OpenBatch {
	let resolve: () => void = () => undefined;
	let reject: (error: Error) => void = () => undefined;
	const done = new Promise<void>((onResolve, onReject) => {
		resolve = onResolve;
		reject = onReject;
	});
	// Deferred transactions wait for nobody; their failure is heard by the next one.
	done.catch(() => undefined);
	const gathering = { beganMs, characters: 0, isUrgent: false, coldRange: undefined };
	return { ...gathering, at, transactions: [], done, resolve, reject };
}
