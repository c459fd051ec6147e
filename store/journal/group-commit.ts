import { type Clock, nextTurn } from "../../src/kernel/kernel.js";
import { messageOf, stopped } from "./damage.js";
import type { TimeRange } from "./segments.js";

/** Transactions that go to the disk as one frame and are answered together. */
export interface Batch {
	/** Milliseconds since the epoch at which the first of them committed. */
	readonly at: number;
	readonly transactions: string[];
	/** Resolves once the frame is durable; rejects with UNAVAILABLE when that is unknown. */
	readonly done: Promise<void>;
	/** Ids of cold rows within. */
	coldRange: TimeRange | undefined;
}

interface OpenBatch extends Batch {
	/** When the first transaction joined, by the monotonic clock. */
	readonly beganMs: number;
	characters: number;
	isUrgent: boolean;
	readonly resolve: () => void;
	readonly reject: (error: Error) => void;
}

const DEFERRED_MS = 20;

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/** While one frame is on its way to the disk the next one gathers, so that a sync serves as many callers as wait. */
export function createGroupCommit({
	clock,
	write,
	onStop,
}: {
	readonly clock: Clock;
	/** Makes the batch under way durable. Its first rejection stops everything: a failed sync is never tried again. */
	readonly write: () => Promise<void>;
	readonly onStop: (reason: string) => void;
}) {
	const queue = createBatchQueue(clock);
	const siblings = createSiblings(clock);
	let underWay: OpenBatch | undefined;
	let isDraining = false;
	let drained: Promise<void> = Promise.resolve();
	let failure: { readonly reason: string; readonly error: Error } | undefined;

	const stop = (reason: string, cause?: unknown) => {
		if (failure) return;
		failure = { reason, error: stopped(reason, cause) };
		underWay?.reject(failure.error);
		queue.rejectAll(failure.error);
		onStop(reason);
	};
	const drain = async () => {
		while (queue.isDue()) {
			await siblings.gather();
			underWay = queue.take();
			await write().catch((error: unknown) => stop(messageOf(error), error));
			underWay?.resolve();
			underWay = undefined;
		}
		isDraining = false;
		if (queue.length() > 0) flushSoon();
	};
	const flush = () => {
		const newest = queue.newest();
		if (!newest) return;
		newest.isUrgent = true;
		if (isDraining) return;
		isDraining = true;
		// Callers that finish within the same turn of the event loop share the first sync, too.
		drained = nextTurn().then(drain);
	};
	const flushSoon = createLateFlush(clock, { newest: queue.newest, flush });

	return {
		current: queue.current as () => Batch,
		/** Adds a transaction to the current batch; a durable one sends it off, a deferred one within milliseconds. */
		add(json: string, durability: "durable" | "deferred"): void {
			queue.add(json);
			if (durability === "durable") {
				siblings.meet();
				flush();
			} else {
				siblings.expect();
				flushSoon();
			}
		},
		/** Resolves when everything added so far is durable. */
		async settle(): Promise<void> {
			if (failure) throw failure.error;
			const last = queue.newest() ?? underWay;
			if (!last) return;
			flush();
			siblings.hurry();
			await last.done;
		},
		/** Resolves when no batch is on its way to the disk, whether it succeeded or failed. */
		idle: () => drained,
		/** Batches that wait, without the one under way. */
		backlog: queue.length,
		underWay: (): Batch | undefined => underWay,
		stop,
		/** Why nothing is written any more; undefined while all is well. */
		stopReason: () => failure?.reason,
	};
}

/** Flushes what deferred transactions left, unless a durable one has taken it along by then. */
function createLateFlush(
	clock: Clock,
	{ newest, flush }: { newest: () => OpenBatch | undefined; flush: () => void },
): () => void {
	let isPlanned = false;
	const plan = (delayMs: number) => {
		isPlanned = true;
		clock.after(delayMs, () => {
			isPlanned = false;
			const batch = newest();
			if (!batch) return;
			// The batch may have begun after this was planned: it has its full time, too.
			const leftMs = DEFERRED_MS - (clock.monotonicMs() - batch.beganMs);
			if (leftMs > 1) plan(leftMs);
			else flush();
		});
	};
	return () => {
		if (!isPlanned) plan(DEFERRED_MS);
	};
}

/** A batch beyond this many characters is full; the next transaction begins another. */
const FULL_CHARS = 1024 * 1024;

/** Batches that wait for the disk, oldest first; the newest one still gathers transactions. */
function createBatchQueue(clock: Clock) {
	const waiting: OpenBatch[] = [];
	const current = (): OpenBatch => {
		const last = waiting.at(-1);
		if (last && last.characters < FULL_CHARS) return last;
		const batch = createBatch(clock.now(), clock.monotonicMs());
		waiting.push(batch);
		return batch;
	};
	return {
		current,
		add(json: string): void {
			const batch = current();
			batch.transactions.push(json);
			batch.characters += json.length;
		},
		newest: () => waiting.at(-1),
		/** A sync for deferred transactions alone would be wasted: the next durable one takes them along. */
		isDue: () => waiting[0]?.isUrgent === true || waiting.length > 1,
		take: () => waiting.shift(),
		length: () => waiting.length,
		rejectAll(error: Error): void {
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
	// No caller waits for a deferred transaction; the next one reports its failure.
	done.catch(() => undefined);
	const gathering = { beganMs, characters: 0, isUrgent: false, coldRange: undefined };
	return { ...gathering, at, transactions: [], done, resolve, reject };
}

/** An expectation not met by then is dropped: its call was refused, or takes long. */
const EXPECTED_MS = 30;
const FEW = 3;
const GATHER_MS = 2;

/**
 * Deferred transactions announce durable ones: a hold, its capture. While several are expected soon, a durable one that
 * waits for them a moment spares each a write of its own; one that is alone never waits.
 */
function createSiblings(clock: Clock) {
	/** When the deferred ones joined, oldest first. */
	const expected: number[] = [];
	let proceed: (() => void) | undefined;
	let isHurried = false;
	const isWorthwhile = () => {
		const oldest = clock.monotonicMs() - EXPECTED_MS;
		while (expected.length > 0 && (expected[0] ?? 0) < oldest) expected.shift();
		return expected.length >= FEW;
	};
	return {
		/** A deferred transaction joined: a durable one is likely to follow. */
		expect(): void {
			// A bound, should nothing durable ever come.
			if (expected.length < 1_024) expected.push(clock.monotonicMs());
		},
		/** A durable one joined; the oldest expectation is met. */
		meet(): void {
			expected.shift();
			if (expected.length === 0) proceed?.();
		},
		/** Resolves at once when few are expected; else when all have come, after two milliseconds, or when hurried. */
		async gather(): Promise<void> {
			const isWaiting = isWorthwhile() && !isHurried;
			isHurried = false;
			if (!isWaiting) return;
			await new Promise<void>((resolve) => {
				// Else a process with nothing else to do would end before it has written.
				const cancel = clock.after(GATHER_MS, resolve, "awaited");
				proceed = () => {
					cancel();
					resolve();
				};
			});
			proceed = undefined;
			isHurried = false;
		},
		/** A caller needs everything to be on the disk now; it may be about to gather only. */
		hurry(): void {
			isHurried = true;
			proceed?.();
		},
	};
}
