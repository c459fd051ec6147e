import type { JobRow, Store } from "../../store/store.js";
import type {
	JobJson,
	JobWork,
	PassContext,
	WorkEvent,
	WorkProgress,
} from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import { type EventLog, progressOf } from "./job-events.js";
import { JOB_LIMITS } from "./job-limits.js";
import { changeJob, percentOf } from "./job-rows.js";

export interface PassDeps {
	readonly store: Store;
	readonly clock: Clock;
}

export interface PassOrder {
	readonly work: JobWork;
	readonly row: JobRow;
	readonly pass: string;
	readonly state: JobJson;
	readonly log: EventLog;
	/** Aborted when the job is cancelled or the process stops. */
	readonly signal: AbortSignal;
	/** Called when the pass has taken all the time there is. */
	readonly onTimeout: () => void;
}

/** Runs one pass until it ends or the signal is aborted, whichever comes first; throws the signal's reason then. */
export async function runPass(deps: PassDeps, order: PassOrder): Promise<JobJson> {
	const { work, row, pass, state, log, signal, onTimeout } = order;
	const timeoutMs = Math.min(JOB_LIMITS.passTimeoutMs, JOB_LIMITS.jobTimeoutMs - row.ranMs);
	const stopTimer = deps.clock.after(timeoutMs, onTimeout);
	const progress = createProgress(deps, row, log);
	let isOver = false;
	const context: PassContext = {
		jobId: row.id,
		signal,
		askedAt: row.createdAt,
		timeoutMs,
		emit({ event, data }: WorkEvent) {
			if (!isOver && !signal.aborted) log.tell(event, data);
		},
		progress(come) {
			if (!isOver && !signal.aborted) progress.note(come);
		},
	};
	try {
		return await unlessAborted(async () => work.run(pass, state, context), signal);
	} finally {
		isOver = true;
		stopTimer();
		await progress.end();
	}
}

/** A pass that does not look at its signal must not keep its place for ever; aborted before it begins, it never does. */
async function unlessAborted<T>(begin: () => Promise<T>, signal: AbortSignal): Promise<T> {
	signal.throwIfAborted();
	const work = begin();
	let leave = () => undefined as unknown;
	const left = new Promise<never>((_, reject) => {
		leave = () => reject(signal.reason);
		signal.addEventListener("abort", leave, { once: true });
	});
	try {
		const result = await Promise.race([work, left]);
		signal.throwIfAborted();
		return result;
	} finally {
		signal.removeEventListener("abort", leave);
		work.catch(() => undefined);
	}
}

/** Writes down how far a pass has come, now and then, and tells it once that is durable. */
function createProgress({ store, clock }: PassDeps, { id }: JobRow, log: EventLog) {
	let latest: WorkProgress | undefined;
	let writing: Promise<void> | undefined;
	let writtenMs = Number.NEGATIVE_INFINITY;
	const write = async ({ considered, read, share = 0 }: WorkProgress): Promise<void> => {
		const change = { id, from: ["running"], now: clock.now() } as const;
		const row = await store.transaction((tx) =>
			changeJob(tx, change, (job) => ({ considered, read, percent: percentOf(job, share) })),
		);
		if (row) log.tell("research.progress", progressOf(row));
	};
	const begin = () => {
		const come = latest;
		if (!come || writing || clock.monotonicMs() - writtenMs < JOB_LIMITS.progressMs) return;
		latest = undefined;
		writtenMs = clock.monotonicMs();
		// The next one says it again: what cannot be written now is not lost.
		writing = write(come)
			.catch(() => undefined)
			.finally(() => {
				writing = undefined;
			});
	};
	return {
		note(progress: WorkProgress) {
			if (!isSound(progress)) return;
			latest = progress;
			begin();
		},
		async end() {
			await writing;
			if (latest) await write(latest).catch(() => undefined);
		},
	};
}

function isSound({ considered, read }: WorkProgress): boolean {
	return Number.isSafeInteger(considered) && Number.isSafeInteger(read);
}
