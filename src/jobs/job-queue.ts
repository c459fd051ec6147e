import { ServiceError } from "../kernel/kernel.js";
import { JOB_LIMITS } from "./job-limits.js";

/** A place in the queue that is not taken by a job yet. */
export interface Place {
	/** Safe to call again, and after the place was taken. */
	leave(): void;
}

/** Jobs that wait for their turn: of each owner one, then of each a second one, whoever came with how many. */
export interface JobQueue {
	/** Throws RATE_LIMITED for an owner with too many open jobs, UNAVAILABLE when too many wait in all. */
	reserve(owner: string, openMax?: number): Place;
	/** Lets a job wait; beyond all bounds, because it was let in before. */
	push(job: QueuedJob): void;
	/** The next one, from now on at work until `end`. */
	next(): QueuedJob | undefined;
	/** Takes a job out that still waits. */
	remove(id: string): boolean;
	/** A job that was at work has ended. */
	end(owner: string): void;
	size(): number;
}

export interface QueuedJob {
	readonly id: string;
	readonly owner: string;
}

export function createJobQueue({
	waitingMax = JOB_LIMITS.waiting,
	openPerOwner = JOB_LIMITS.openPerOwner,
}: {
	readonly waitingMax?: number;
	readonly openPerOwner?: number;
} = {}): JobQueue {
	/** In the order of their turns. */
	const waiting = new Map<string, string[]>();
	const open = createCounts();
	let [reserved, queued] = [0, 0];
	const takeOut = (owner: string, index: number): string | undefined => {
		const ids = waiting.get(owner) ?? [];
		const [id] = ids.splice(index, 1);
		if (ids.length === 0) waiting.delete(owner);
		if (id !== undefined) queued -= 1;
		return id;
	};
	return {
		reserve(owner, openMax = openPerOwner) {
			if (open.of(owner) >= openMax) throw tooManyOfOwner(openMax);
			if (reserved + queued >= waitingMax) throw tooManyInAll();
			reserved += 1;
			open.add(owner, 1);
			let isHeld = true;
			return {
				leave() {
					if (!isHeld) return;
					isHeld = false;
					reserved -= 1;
					open.add(owner, -1);
				},
			};
		},
		push({ id, owner }) {
			waiting.set(owner, [...(waiting.get(owner) ?? []), id]);
			queued += 1;
			open.add(owner, 1);
		},
		next() {
			for (const [owner, ids] of waiting) {
				const id = takeOut(owner, 0);
				// To the end of the round.
				if (waiting.delete(owner)) waiting.set(owner, ids);
				return id === undefined ? undefined : { id, owner };
			}
			return undefined;
		},
		remove(id) {
			for (const [owner, ids] of waiting) {
				const index = ids.indexOf(id);
				if (index < 0) continue;
				takeOut(owner, index);
				open.add(owner, -1);
				return true;
			}
			return false;
		},
		end: (owner) => open.add(owner, -1),
		size: () => queued,
	};
}

function createCounts() {
	const counts = new Map<string, number>();
	return {
		of: (owner: string) => counts.get(owner) ?? 0,
		add(owner: string, change: number) {
			const count = (counts.get(owner) ?? 0) + change;
			if (count > 0) counts.set(owner, count);
			else counts.delete(owner);
		},
	};
}

function tooManyOfOwner(openPerOwner: number): ServiceError {
	return new ServiceError(
		"RATE_LIMITED",
		`You, or those who show no credential if you show none, have ${openPerOwner} jobs that have not ended yet; send this one when one of them has, or cancel one. Nothing was charged.`,
		{ retryAfterSeconds: 30 },
	);
}

function tooManyInAll(): ServiceError {
	return new ServiceError(
		"UNAVAILABLE",
		"Too many jobs are waiting; send the same request again in a minute. Nothing was charged.",
		{ retryAfterSeconds: 60 },
	);
}
