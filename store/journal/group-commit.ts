import type { Clock } from "../../src/kernel/kernel.js";
import { type Batch, type BatchLine, createBatchLine, type OpenBatch } from "./batch.js";
import { messageOf, stopped } from "./damage.js";
import { nextTurn } from "./next-turn.js";
import { createSiblings } from "./siblings.js";

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
