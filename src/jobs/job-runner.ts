import PQueue from "p-queue";
import type { JobRow } from "../../store/store.js";
import { isOpenJob } from "../contract/contract.js";
import { stackOf } from "../kernel/kernel.js";
import { createEventLog, type EventLog, type JobEvent, lastEventsOf } from "./job-events.js";
import { JOB_LIMITS } from "./job-limits.js";
import type { JobQueue, QueuedJob } from "./job-queue.js";
import { endCancelled, skipToldIds, toAbort, type WorkDeps, workOn } from "./job-run.js";

export interface JobRunnerDeps extends Omit<WorkDeps, "logs"> {
	readonly queue: JobQueue;
	readonly running?: number | undefined;
	/** Told of every job that has ended, after that is durable. */
	readonly onEnded: (row: JobRow) => void;
}

/** Works on jobs, a few at a time and pass by pass; what it leaves behind in a crash is taken up again. */
export interface JobRunner {
	/** Lets a job wait for its turn, with what it told before. */
	push(row: JobRow, told?: readonly JobEvent[]): void;
	/** Lets what an earlier process left open wait for its turn again; before any other job comes. */
	resume(): Promise<void>;
	/** Begins to work on what waits. */
	start(): void;
	/** Ends a job that its owner wants no more: at once where nothing works on it, else as soon as its pass ends. */
	cancel(id: string): Promise<void>;
	/** Of a job that is open here. */
	log(id: string): EventLog | undefined;
	/** Stops after the latest checkpoints; nothing ends, listeners go. */
	close(): Promise<void>;
}

export function createJobRunner(deps: JobRunnerDeps): JobRunner {
	const { queue, store, notes, logger } = deps;
	const slots = new PQueue({ concurrency: deps.running ?? JOB_LIMITS.running, autoStart: false });
	const atWork = new Map<string, AbortController>();
	const logs = new Map<string, EventLog>();
	const workDeps = { ...deps, logs };
	const ended = createFarewell(workDeps);
	let isClosed = false;

	const work = async ({ id, owner }: QueuedJob): Promise<void> => {
		const controller = new AbortController();
		atWork.set(id, controller);
		try {
			await workOn(workDeps, { id, controller, ended });
		} catch (error) {
			// The store has stopped, or the disk: the job stays as its rows say, and the next start takes it up.
			logger.error("a job could not go on", { job: id, error: stackOf(error) });
		} finally {
			atWork.delete(id);
			queue.end(owner);
		}
	};
	const takeNext = async (): Promise<void> => {
		const job = isClosed ? undefined : queue.next();
		if (job) await work(job);
	};
	const push: JobRunner["push"] = (row, told = []) => {
		if (isClosed) return;
		logs.set(row.id, createEventLog(row, told, row.lastEventId + 1));
		queue.push(row);
		void slots.add(takeNext);
	};
	return {
		push,
		async resume() {
			const rows = await store.read((reader) => reader.list("jobs"));
			for (const { id } of rows.filter(({ state }) => isOpenJob(state))) {
				const row = await skipToldIds(workDeps, id);
				if (row) push(row, (await notes.readWork(id))?.events);
			}
		},
		start: () => void slots.start(),
		async cancel(id) {
			const controller = atWork.get(id);
			if (controller) controller.abort(toAbort("cancelled"));
			else if (queue.remove(id)) await endCancelled(workDeps, { id, ended });
		},
		log: (id) => logs.get(id),
		async close() {
			isClosed = true;
			slots.clear();
			for (const controller of atWork.values()) controller.abort(toAbort("stopping"));
			for (const log of logs.values()) log.leave();
			await slots.onIdle();
		},
	};
}

/** What is left to do once a job has ended: its last events, its text, and word to who waits for it. */
function createFarewell(deps: WorkDeps & Pick<JobRunnerDeps, "onEnded">) {
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
		// The state is of no more use; what was told can be told again as long as the report.
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
