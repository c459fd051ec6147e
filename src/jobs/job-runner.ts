import PQueue from "p-queue";
import { createSerialQueue, type JobRow } from "../../store/store.js";
import { isOpenJob } from "../contract/contract.js";
import { ServiceError, stackOf, unavailable } from "../kernel/kernel.js";
import { createEventLog, type EventLog, type JobEvent, lastEventsOf } from "./job-events.js";
import { takeOverJob } from "./job-rows.js";
import { endCancelled, isAway, toAbort, type WorkServices, workOn } from "./job-run.js";
import { JOB_LIMITS } from "./job-schemas.js";

export interface RunnerServices extends Omit<WorkServices, "logs"> {
	readonly queue: JobQueue;
	/** Called with every job that has ended, after that is durable. */
	readonly onEnded: (row: JobRow) => void;
}

/** Works on jobs, a few at a time and pass by pass; what it leaves behind in a crash is taken up again. */
export type JobRunner = ReturnType<typeof createJobRunner>;

export function createJobRunner(deps: RunnerServices) {
	const { queue, logger } = deps;
	const slots = new PQueue({ concurrency: deps.running ?? JOB_LIMITS.running, autoStart: false });
	const [atWork, logs] = [new Map<string, AbortController>(), new Map<string, EventLog>()];
	const workDeps = { ...deps, logs };
	const { ended, ...taken } = createTakenJobs(createFarewell(workDeps), logs);
	const { resume, pushLater, ...resuming } = createResuming(deps, taken, (row, earlier) =>
		push(row, earlier),
	);
	let isClosed = false;

	const work = async ({ id, owner }: QueuedJob): Promise<void> => {
		const controller = new AbortController();
		atWork.set(id, controller);
		try {
			await workOn(workDeps, { id, controller, ended });
		} catch (error) {
			logger.error("a job could not go on yet", { job: id, error: stackOf(error) });
			// What no time mends waits for the next process.
			if (isAway(error)) pushLater(id);
			else taken.letGo(id);
		} finally {
			atWork.delete(id);
			queue.end(owner);
		}
	};
	const cancelWaiting = (id: string) =>
		endCancelled(workDeps, { id, ended }).catch((error: unknown) => {
			pushLater(id);
			throw error;
		});
	const takeNext = async (): Promise<void> => {
		const job = isClosed ? undefined : queue.next();
		if (job) await work(job);
	};
	/** Lets a job wait for its turn, with its earlier events. */
	const push = (row: JobRow, earlier: readonly JobEvent[] = []): void => {
		if (isClosed || taken.has(row.id)) return;
		taken.add(row.id);
		// Of one that is taken up again, readers go on with the log they have.
		if (!logs.has(row.id)) logs.set(row.id, createEventLog(row, earlier, row.lastEventId + 1));
		queue.push(row);
		void slots.add(takeNext);
	};
	return {
		push,
		pushLater,
		/**
		 * Lets what is open and no one works on wait for its turn: what processes left that have ended, to be awaited before any
		 * other job comes, and what could not be written while the store was away.
		 */
		resume,
		/** Begins to work on what waits. */
		start: () => void slots.start(),
		/** Ends a job that its owner wants no more: at once where nothing works on it, else as soon as its pass ends. */
		async cancel(id: string) {
			const controller = atWork.get(id);
			if (controller) controller.abort(toAbort("cancelled"));
			else if (queue.remove(id)) await cancelWaiting(id);
		},
		/** This process was taken for ended: another process that takes its jobs up, or it itself, begins from their checkpoints. */
		letGo: () => letGoOfAll({ queue, taken, atWork, logs }),
		/** Of a job that is open here. */
		log: (id: string) => logs.get(id),
		/** Stops after the latest checkpoints; nothing ends, listeners go, and the next start takes up what is open. */
		async close() {
			isClosed = true;
			resuming.stop();
			slots.clear();
			stopAll(atWork, logs);
			await slots.onIdle();
		},
	};
}

/** How jobs are taken up again: those of processes that have ended, and those that wait for a store that is away. */
function createResuming(
	{ store, clock, notes }: Pick<RunnerServices, "store" | "clock" | "notes">,
	taken: Omit<ReturnType<typeof createTakenJobs>, "ended">,
	push: (row: JobRow, earlier: readonly JobEvent[] | undefined) => void,
) {
	let isStopped = false;
	let cancelLook: (() => void) | undefined;
	const pushAgain = async (id: string): Promise<boolean> => {
		const row = await store.transaction((tx) => takeOverJob(tx, { id, now: clock.now() }));
		if (row) push(row, (await notes.readWork(id))?.events);
		return row !== undefined;
	};
	/** One may be cut off again while the next is still being pushed: only who was not pushed is settled. */
	const resumeAll = async (): Promise<void> => {
		const cutOff = new Set(taken.cutOff());
		const rows = await store.read((reader) => reader.list("jobs"));
		const ownId = store.processes.ownId();
		for (const row of rows) {
			if (!taken.mayTake(row, ownId)) continue;
			if (await pushAgain(row.id)) cutOff.delete(row.id);
		}
		for (const id of cutOff) {
			await taken.settle(await store.read((reader) => reader.get("jobs", id)), id);
		}
	};
	const inTurn = createSerialQueue();
	const resume = (): Promise<void> => inTurn(resumeAll);
	const resumeLater = (): void => {
		if (isStopped) return;
		cancelLook ??= clock.after(JOB_LIMITS.awayMs, () => {
			cancelLook = undefined;
			resume().catch(resumeLater);
		});
	};
	return {
		resume,
		/** The store is away: the job stays as its rows say until it is back, or another process takes it up. */
		pushLater(id: string): void {
			taken.letGo(id);
			resumeLater();
		},
		stop(): void {
			isStopped = true;
			cancelLook?.();
		},
	};
}

function stopAll(
	atWork: ReadonlyMap<string, AbortController>,
	logs: ReadonlyMap<string, EventLog>,
): void {
	for (const controller of atWork.values()) controller.abort(toAbort("stopping"));
	for (const log of logs.values()) log.leave();
}

function letGoOfAll({
	queue,
	taken,
	atWork,
	logs,
}: {
	readonly queue: JobQueue;
	readonly taken: Pick<ReturnType<typeof createTakenJobs>, "all" | "letGo">;
	readonly atWork: ReadonlyMap<string, AbortController>;
	readonly logs: Map<string, EventLog>;
}): void {
	stopAll(atWork, logs);
	for (const id of taken.all()) {
		if (!atWork.has(id)) queue.remove(id);
		taken.letGo(id);
		logs.delete(id);
	}
}

type Farewell = (row: JobRow | undefined, id: string) => Promise<void>;

/** Jobs that wait or are at work here. */
function createTakenJobs(sayFarewell: Farewell, logs: Map<string, EventLog>) {
	const ids = new Set<string>();
	/** Whose last step could not be written: they may have ended once it is, and no one has heard of it. */
	const cutOff = new Set<string>();
	return {
		has: (id: string) => ids.has(id),
		all: (): readonly string[] => [...ids],
		/** A row of this process that was not let go belongs to a launch that has not come so far yet. */
		mayTake: ({ id, state, processId }: JobRow, ownId: string) =>
			isOpenJob(state) && !ids.has(id) && (processId !== ownId || cutOff.has(id)),
		add(id: string): void {
			ids.add(id);
			cutOff.delete(id);
		},
		ended(row: JobRow | undefined, id: string): Promise<void> {
			ids.delete(id);
			return sayFarewell(row, id);
		},
		letGo(id: string): void {
			ids.delete(id);
			cutOff.add(id);
		},
		cutOff: (): readonly string[] => [...cutOff],
		/** Says the end of one whose last step was written after all; of one that another process took up its readers follow that. */
		async settle(row: JobRow | undefined, id: string): Promise<void> {
			if (ids.has(id) || !cutOff.delete(id)) return;
			if (!row || !isOpenJob(row.state)) return sayFarewell(row, id);
			logs.get(id)?.leave();
			logs.delete(id);
		},
	};
}

/** What is left to do once a job has ended: its last events, its text, and the call of its listener. */
function createFarewell(deps: WorkServices & Pick<RunnerServices, "onEnded">) {
	const { store, notes, logs, logger, onEnded } = deps;
	/** Once its row is gone, deleted or erased with its owner, nothing of it stays. */
	const findOrForget = async (id: string): Promise<JobRow | undefined> => {
		const row = await store.read((reader) => reader.get("jobs", id));
		if (!row) await notes.forget(id);
		return row;
	};
	const dropped = async (id: string): Promise<void> => {
		const row = await findOrForget(id);
		logs.get(id)?.end(row ? lastEventsOf(row) : []);
		logs.delete(id);
	};
	return async (row: JobRow | undefined, id: string): Promise<void> => {
		if (!row) return dropped(id);
		const log = logs.get(id);
		const events = log?.events() ?? [];
		log?.end(lastEventsOf(row));
		// The state is of no more use; the events can be read as long as the report.
		await notes.writeWork(row, { done: row.passesDone, events }).catch(() => undefined);
		logs.delete(id);
		// Text that cannot be forgotten now expires.
		await findOrForget(id).catch(() => undefined);
		try {
			onEnded(row);
		} catch (error) {
			logger.error("the end of a job could not be told", { job: id, error: stackOf(error) });
		}
	};
}

/** A place in the queue that is not taken by a job yet. */
export interface Place {
	/** Safe to call again, and after the place was taken. */
	leave(): void;
}

/** Queued jobs, served round-robin over their owners. */
export type JobQueue = ReturnType<typeof createJobQueue>;

type QueuedJob = Pick<JobRow, "id" | "owner">;

export function createJobQueue() {
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
		/** Throws RATE_LIMITED for an owner with too many open jobs, UNAVAILABLE when too many wait in all. */
		reserve(owner: string, openMax: number = JOB_LIMITS.openPerOwner): Place {
			if (open.of(owner) >= openMax) {
				throw new ServiceError(
					"RATE_LIMITED",
					`You, or those who show no credential if you show none, have ${openMax} jobs that have not ended yet; send this one when one of them has, or cancel one. Nothing was charged.`,
					{ retryAfterSeconds: 30 },
				);
			}
			if (reserved + queued >= JOB_LIMITS.waiting) {
				throw unavailable(
					"Too many jobs are waiting; send the same request again in a minute. Nothing was charged.",
					{ retryAfterSeconds: 60 },
				);
			}
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
		/** Lets a job wait; beyond all bounds, because it was let in before. */
		push({ id, owner }: QueuedJob): void {
			waiting.set(owner, [...(waiting.get(owner) ?? []), id]);
			queued += 1;
			open.add(owner, 1);
		},
		/** The next one, from now on at work until `end`. */
		next(): QueuedJob | undefined {
			for (const [owner, ids] of waiting) {
				const id = takeOut(owner, 0);
				// To the end of the round.
				if (waiting.delete(owner)) waiting.set(owner, ids);
				return id === undefined ? undefined : { id, owner };
			}
			return undefined;
		},
		/** Takes a job out that still waits. */
		remove(id: string): boolean {
			for (const [owner, ids] of waiting) {
				const index = ids.indexOf(id);
				if (index < 0) continue;
				takeOut(owner, index);
				open.add(owner, -1);
				return true;
			}
			return false;
		},
		/** A job that was at work has ended. */
		end: (owner: string) => open.add(owner, -1),
		/** How many jobs wait for their turn, and how many are worked on. */
		load: () => ({ waiting: queued, running: open.total() - reserved - queued }),
	};
}

function createCounts() {
	const counts = new Map<string, number>();
	return {
		of: (owner: string) => counts.get(owner) ?? 0,
		total: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
		add(owner: string, change: number) {
			const count = (counts.get(owner) ?? 0) + change;
			if (count > 0) counts.set(owner, count);
			else counts.delete(owner);
		},
	};
}
