import type { Clock } from "../../src/kernel/kernel.js";
import { messageOf, stopped } from "./damage.js";
import type { TimeRange } from "./segments.js";
import { nextTurn } from "./serial-queue.js";

export interface GroupCommit {
	/** The batch that the next transaction belongs to. */
	current(): Batch;
	/** Adds a transaction to the current batch; a durable one sends it off, a deferred one within milliseconds. */
	add(json: string, durability: "durable" | "deferred"): void;
	/** Resolves when everything added so far is durable. */
	settle(): Promise<void>;
	/** Resolves when no batch is on its way to the disk, be it there or refused. */
	idle(): Promise<void>;
	/** Batches that wait, without the one under way. */
	backlog(): number;
	/** The batch being written; undefined between two. */
	underWay(): Batch | undefined;
	/** Refuses everything that waits or comes later. */
	stop(reason: string, cause?: unknown): void;
	/** Why nothing is written any more; undefined while all is well. */
	stopReason(): string | undefined;
}

export interface GroupCommitDeps {
	readonly clock: Clock;
	/** Makes the batch under way durable. Its first rejection stops everything: a failed sync is never tried again. */
	readonly write: () => Promise<void>;
	readonly onStop: (reason: string) => void;
}

const DEFERRED_MS = 20;

/** While one frame is on its way to the disk the next one gathers, so that a sync serves as many callers as wait. */
export function createGroupCommit({ clock, write, onStop }: GroupCommitDeps): GroupCommit {
	const line = createBatchLine(clock);
	const siblings = createSiblings(clock);
	let underWay: OpenBatch | undefined;
	let isDraining = false;
	let drained: Promise<void> = Promise.resolve();
	let stopReason: string | undefined;
	let stopError: Error | undefined;

	const stop = (reason: string, cause?: unknown) => {
		if (stopError) return;
		stopReason = reason;
		stopError = stopped(reason, cause);
		underWay?.reject(stopError);
		line.rejectAll(stopError);
		onStop(reason);
	};
	const drain = async () => {
		while (line.isDue()) {
			await siblings.gather();
			underWay = line.take();
			await write().catch((error: unknown) => stop(messageOf(error), error));
			underWay?.resolve();
			underWay = undefined;
		}
		isDraining = false;
		if (line.length() > 0) flushSoon();
	};
	const flush = () => {
		const newest = line.newest();
		if (!newest) return;
		newest.isUrgent = true;
		if (isDraining) return;
		isDraining = true;
		// Callers that finish within the same turn of the event loop share the first sync, too.
		drained = nextTurn().then(drain);
	};
	const { flushSoon } = createLateFlush({ clock, line, flush });

	return {
		current: line.current,
		add(json, durability) {
			const batch = line.current();
			batch.transactions.push(json);
			batch.characters += json.length;
			if (durability === "durable") {
				siblings.meet();
				flush();
			} else {
				siblings.expect();
				flushSoon();
			}
		},
		async settle() {
			if (stopError) throw stopError;
			const last = line.newest() ?? underWay;
			if (!last) return;
			flush();
			siblings.hurry();
			await last.done;
		},
		idle: () => drained,
		backlog: line.length,
		underWay: () => underWay,
		stop,
		stopReason: () => stopReason,
	};
}

/** Sends off what deferred transactions left, unless a durable one has taken it along by then. */
function createLateFlush({ clock, line, flush }: LateFlushDeps): { flushSoon(): void } {
	let isPlanned = false;
	const plan = (delayMs: number) => {
		isPlanned = true;
		clock.after(delayMs, () => {
			isPlanned = false;
			const newest = line.newest();
			if (!newest) return;
			// What is here may have joined later than what this was planned for: it has its full time, too.
			const leftMs = DEFERRED_MS - (clock.monotonicMs() - newest.beganMs);
			if (leftMs > 1) plan(leftMs);
			else flush();
		});
	};
	return {
		flushSoon() {
			if (!isPlanned) plan(DEFERRED_MS);
		},
	};
}

interface LateFlushDeps {
	readonly clock: Clock;
	readonly line: BatchLine;
	readonly flush: () => void;
}

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

/**
 * Deferred transactions announce durable ones: a hold, its capture. While several are expected soon, a durable one that
 * waits for them a moment spares each a write of its own; one that is alone never waits.
 */
export interface Siblings {
	/** A deferred transaction joined: a durable one is likely to follow. */
	expect(): void;
	/** A durable one joined; the oldest expectation is met. */
	meet(): void;
	/** Resolves at once when few are expected; else when all have come, after two milliseconds, or when hurried. */
	gather(): Promise<void>;
	/** Somebody needs everything to be on the disk now. */
	hurry(): void;
}

/** An expectation not met by then is given up: its call was refused, or takes long. */
const EXPECTED_MS = 30;
const FEW = 3;
const GATHER_MS = 2;

export function createSiblings(clock: Clock): Siblings {
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
		expect() {
			// A bound, should nothing durable ever come.
			if (expected.length < 1_024) expected.push(clock.monotonicMs());
		},
		meet() {
			expected.shift();
			if (expected.length === 0) proceed?.();
		},
		async gather() {
			const isWaiting = isWorthwhile() && !isHurried;
			isHurried = false;
			if (!isWaiting) return;
			await new Promise<void>((resolve) => {
				const cancel = clock.after(GATHER_MS, resolve);
				proceed = () => {
					cancel();
					resolve();
				};
			});
			proceed = undefined;
			isHurried = false;
		},
		hurry() {
			// What is hurried may be about to gather only.
			isHurried = true;
			proceed?.();
		},
	};
}
