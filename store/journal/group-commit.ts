import { type Clock, nextTurn } from "../../src/kernel/kernel.js";
import { messageOf, stopped } from "../store.js";
import { isFull } from "./damage.js";
import type { TimeRange } from "./segments.js";

/** Transactions that go to the disk as one frame and are answered together. */
export interface Batch {
	/** Milliseconds since the epoch at which the first of them committed. */
	readonly at: number;
	readonly transactions: string[];
	/** Resolves once the frame is durable; rejects with UNAVAILABLE when that is unknown, or has to wait for room on the disk. */
	readonly done: Promise<void>;
	/** True once the frame is durable, also where `done` was rejected before. */
	readonly isKept: () => boolean;
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
/** How often a disk without room is tried again. */
const ROOM_MS = 1_000;

export type GroupCommit = ReturnType<typeof createGroupCommit>;

interface WriteHooks {
	/**
	 * Makes the batch under way durable. A rejection stops everything, since a failed sync is never tried again; but where
	 * `isFull` the same batch waits until there is room, and is written whole again.
	 */
	readonly write: () => Promise<void>;
	readonly onStop: (reason: string) => void;
	/** Nothing joins any more until `onResume`. */
	readonly onFull: (reason: string) => void;
	readonly onResume: () => void;
}

/** While one frame is on its way to the disk the next one gathers, so that a sync serves as many callers as wait. */
export function createGroupCommit({ clock, ...hooks }: WriteHooks & { readonly clock: Clock }) {
	const queue = createBatchQueue(clock);
	const siblings = createSiblings(clock);
	let isDraining = false;
	let drained: Promise<void> = Promise.resolve();
	const writing = createPatientWriting(clock, hooks, queue);

	const drain = async () => {
		// What waited for room is written whole before anything else joins.
		while (queue.isDue() || (writing.isWaiting() && queue.length() > 0)) {
			await siblings.gather();
			const batch = queue.take();
			if (await writing.write()) batch?.resolve();
			queue.leave();
			if (queue.length() === 0) writing.resume();
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
			const refusal = writing.refusal();
			if (refusal) throw refusal.error;
			const last = queue.newest() ?? queue.underWay();
			if (!last) return;
			flush();
			siblings.hurry();
			await last.done;
		},
		/** Resolves when no batch is on its way to the disk, whether it succeeded or failed. */
		idle: () => drained,
		/** Batches that wait, without the one under way. */
		backlog: queue.length,
		underWay: queue.underWay as () => Batch | undefined,
		stop: writing.stop,
		/** Why nothing joins now; undefined while all is well. */
		stopReason: () => writing.refusal()?.reason,
		isWaitingForRoom: writing.isWaiting,
		giveUpWaiting: writing.giveUpWaiting,
	};
}

interface Refusal {
	readonly reason: string;
	readonly error: Error;
}

/** Writes the batch under way, again and again while the disk has no room, until it fails for good. */
function createPatientWriting(
	clock: Clock,
	{ write, onStop, onFull, onResume }: WriteHooks,
	/** How callers are answered: for good, or while what they changed waits to be written first of all. */
	callers: Pick<ReturnType<typeof createBatchQueue>, "rejectAll" | "answerAll">,
) {
	let failure: Refusal | undefined;
	/** While there is no room. */
	let pause: (Refusal & { readonly end: () => void }) | undefined;

	const giveUp = (refusal: Refusal) => {
		failure = refusal;
		pause?.end();
		callers.rejectAll(failure.error);
	};
	const stop = (reason: string, cause?: unknown) => {
		if (failure) return;
		giveUp({ reason, error: stopped(reason, cause) });
		onStop(reason);
	};
	const waitForRoom = async (cause: unknown) => {
		const reason = `the disk is full: ${messageOf(cause)}`;
		const error = pause?.error ?? stopped(reason, cause);
		if (!pause) {
			callers.answerAll(error);
			onFull(reason);
		}
		await new Promise<void>((resolve) => {
			const cancel = clock.after(ROOM_MS, resolve);
			const end = () => {
				cancel();
				resolve();
			};
			pause = { reason, error, end };
		});
	};
	const tryToWrite = async (): Promise<boolean> => {
		try {
			await write();
		} catch (error) {
			if (isFull(error)) await waitForRoom(error);
			else stop(messageOf(error), error);
			return false;
		}
		return true;
	};
	return {
		stop,
		/** Everything whose callers were refused is on the disk: others may join again. */
		resume(): void {
			if (!pause || failure) return;
			pause = undefined;
			onResume();
		},
		/** True once the batch is durable, false where everything has stopped. */
		async write(): Promise<boolean> {
			let isWritten = false;
			while (!failure && !isWritten) isWritten = await tryToWrite();
			return isWritten;
		},
		refusal: (): Refusal | undefined => failure ?? pause,
		isWaiting: () => pause !== undefined && !failure,
		/** The process ends: what waits for room is left as after a crash. */
		giveUpWaiting(): void {
			if (pause && !failure) giveUp(pause);
		},
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
	let underWay: OpenBatch | undefined;
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
		/** The next one is under way until it leaves. */
		take() {
			underWay = waiting.shift();
			return underWay;
		},
		leave(): void {
			underWay = undefined;
		},
		underWay: () => underWay,
		/** Those that wait, without the one under way. */
		length: () => waiting.length,
		rejectAll(error: Error): void {
			underWay?.reject(error);
			for (const batch of waiting.splice(0)) batch.reject(error);
		},
		/** Their callers are refused; they stay. */
		answerAll(error: Error): void {
			underWay?.reject(error);
			for (const batch of waiting) batch.reject(error);
		},
	};
}

function createBatch(at: number, beganMs: number): OpenBatch {
	let isKept = false;
	let answer: () => void = () => undefined;
	let reject: (error: Error) => void = () => undefined;
	const done = new Promise<void>((onResolve, onReject) => {
		answer = onResolve;
		reject = onReject;
	});
	const resolve = () => {
		isKept = true;
		answer();
	};
	// No caller waits for a deferred transaction; the next one reports its failure.
	done.catch(() => undefined);
	const gathering = { beganMs, characters: 0, isUrgent: false, coldRange: undefined };
	return { ...gathering, at, transactions: [], done, isKept: () => isKept, resolve, reject };
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
