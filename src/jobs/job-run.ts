import type { JobRow } from "../../store/store.js";
import type {
	JobJson,
	JobWork,
	PassContext,
	WorkEvent,
	WorkProgress,
} from "../contract/contract.js";
import { ServiceError, stackOf, unavailable, withinCall } from "../kernel/kernel.js";
import type {
	Checkpoint,
	FailureReason,
	JobEndings,
	JobNotes,
	JobServices,
} from "./job-endings.js";
import { type EventLog, progressOf } from "./job-events.js";
import { changeJob, percentOf, readJob } from "./job-rows.js";
import { JOB_LIMITS } from "./job-schemas.js";

/** Why a pass was aborted. */
type Abortion = "cancelled" | "time" | "stopping";
export const toAbort = (reason: Abortion) => Object.assign(new Error(reason), { reason });
const abortionOf = ({ reason }: AbortSignal): Abortion =>
	(reason as { readonly reason?: Abortion } | undefined)?.reason ?? "stopping";

export interface WorkServices extends JobServices {
	readonly notes: JobNotes;
	readonly endings: JobEndings;
	/** Of the jobs that are open here. */
	readonly logs: Map<string, EventLog>;
}

interface Working {
	readonly id: string;
	readonly controller: AbortController;
	readonly ended: (row: JobRow | undefined, id: string) => Promise<void>;
}

/** From the latest checkpoint to the end, unless the process stops before. Throws UNAVAILABLE while the store is away. */
export async function workOn(deps: WorkServices, working: Working): Promise<void> {
	const { endings } = deps;
	const { id, controller, ended } = working;
	try {
		const begun = await begin(deps, id);
		const done = begun && begun !== "cancelling" ? await runPasses(deps, begun, controller) : begun;
		if (done === "cancelling") return await endCancelled(deps, working);
		if (!done) return await ended(undefined, id);
		const end = done.work.finish(done.state);
		await ended(await endings.complete(id, { end, lastEventId: done.log.lastId() }), id);
	} catch (error) {
		await endAborted(deps, working, error);
	}
}

async function endAborted(deps: WorkServices, working: Working, error: unknown): Promise<void> {
	const { id, controller, ended } = working;
	const { signal } = controller;
	const abortion = signal.aborted ? abortionOf(signal) : undefined;
	if (abortion === "stopping") return;
	if (abortion === "cancelled") return endCancelled(deps, working);
	if (!abortion && isAway(error)) throw error;
	const reason = abortion ?? (error instanceof JobFailure ? error.reason : "error");
	deps.logger.error("a job failed", { job: id, reason, error: stackOf(error) });
	const lastEventId = deps.logs.get(id)?.lastId() ?? 0;
	await ended(await deps.endings.fail(id, reason, lastEventId), id);
}

/** What could not be read or written now can be later: no job ends of it. */
export const isAway = (error: unknown) =>
	error instanceof ServiceError && error.code === "UNAVAILABLE";

/** What a job may fail of beside its work. */
class JobFailure extends Error {
	readonly reason: FailureReason;
	constructor(reason: FailureReason) {
		super(`The job ended: ${reason}.`);
		this.name = "JobFailure";
		this.reason = reason;
	}
}

interface Begun {
	readonly id: string;
	readonly work: JobWork;
	readonly log: EventLog;
	readonly done: number;
	readonly state: JobJson;
}

/** The job with its latest checkpoint. */
async function begin(deps: WorkServices, id: string): Promise<Begun | "cancelling" | undefined> {
	const { store, clock } = deps;
	const now = clock.now();
	const row = await store.transaction(async (tx) => {
		const job = await tx.get("jobs", id);
		if (job?.state === "cancelling") return job;
		return changeJob(tx, { id, from: ["queued", "running"], now }, ({ startedAt = now }) => ({
			state: "running",
			startedAt,
		}));
	});
	if (row && now > row.createdAt + JOB_LIMITS.lifeMs) throw new JobFailure("time");
	if (!row || row.state === "cancelling") return row && "cancelling";
	return open(deps, row);
}

async function open({ notes, works, logs, clock }: WorkServices, row: JobRow): Promise<Begun> {
	const { id } = row;
	const input = await notes.readInput(id);
	const mayCome = row.passesBegun === 0 && clock.now() < row.createdAt + JOB_LIMITS.questionMs;
	if (!input && mayCome) throw unavailable("The question of this job is not written yet.");
	const kept: Partial<Checkpoint> = (await notes.readWork(id)) ?? {};
	const work = works.find(({ kind }) => kind === row.kind);
	const log = logs.get(id);
	// Without its checkpoint a job that has ended passes would have to go back.
	const isLost = row.passesDone > 0 && kept.state === undefined;
	if (!work || !input || !log || isLost) throw new JobFailure("lost");
	const { state = work.start(input), done = 0 } = kept;
	return { id, work, log, done, state };
}

/** The job with the state after its last pass; undefined when the job is gone. */
async function runPasses(
	deps: WorkServices,
	begun: Begun,
	controller: AbortController,
): Promise<Begun | "cancelling" | undefined> {
	const { id, work, log } = begun;
	const { signal } = controller;
	const onTimeout = () => controller.abort(toAbort("time"));
	let { state, done } = begun;
	for (;;) {
		const row = await beginPass(deps, id, done);
		if (!row) {
			const left = await readJob(deps.store, id);
			return left?.state === "cancelling" ? "cancelling" : undefined;
		}
		const pass = row.passes[done];
		if (pass === undefined) return { ...begun, state, done };
		log.emit("research.progress", progressOf(row));
		const beganMs = deps.clock.monotonicMs();
		const step = { work, row, pass, state, log, signal, onTimeout };
		state = await withinCall({ id, operationId: row.operationId }, () => runPass(deps, step));
		done += 1;
		const ranMs = row.ranMs + Math.ceil(deps.clock.monotonicMs() - beganMs);
		await endPass(deps, row, { done, state, ranMs, log });
	}
}

/** Undefined when it may not go on: the job is gone or being cancelled. */
function beginPass({ store, clock }: WorkServices, id: string, done: number) {
	return store.transaction((tx) =>
		changeJob(tx, { id, from: ["running"], now: clock.now() }, (row) => {
			// The checkpoint is written before the row: a crash between the two leaves the row behind.
			const percent = Math.floor((99 * done) / row.passes.length);
			if (done >= row.passes.length) return { passesDone: done, percent };
			const isAgain = row.passesBegun === done + 1;
			const passStarts = isAgain ? row.passStarts + 1 : 1;
			if (passStarts > JOB_LIMITS.passStarts) throw new JobFailure("restarts");
			if (row.ranMs >= JOB_LIMITS.jobTimeoutMs) throw new JobFailure("time");
			return { passesBegun: done + 1, passesDone: done, passStarts, percent };
		}),
	);
}

/** Writes the checkpoint, then the row that counts it. */
async function endPass(
	{ store, clock, notes }: WorkServices,
	row: JobRow,
	{ done, state, ranMs, log }: Pick<Begun, "done" | "state" | "log"> & { readonly ranMs: number },
): Promise<void> {
	if (JSON.stringify(state).length > JOB_LIMITS.stateChars) throw new JobFailure("size");
	// A text has no owner: one that another process took over is not written over.
	const now = await store.read((reader) => reader.get("jobs", row.id));
	if (now?.processId !== row.processId) return;
	await notes.writeWork(row, { done, state, events: log.events() });
	const change = { passesDone: done, passStarts: 0, ranMs, lastEventId: log.lastId() };
	await store.transaction((tx) =>
		changeJob(tx, { id: row.id, from: ["running"], now: clock.now() }, () => change),
	);
}

/**
 * What was found before the cancellation, if it makes a report, goes to its owner. A report that cannot be kept does not
 * keep the job open: then it ends without one, and costs nothing. Throws UNAVAILABLE while the store is away.
 */
export async function endCancelled(
	deps: WorkServices,
	{ id, ended }: Pick<Working, "id" | "ended">,
): Promise<void> {
	const { endings, logger } = deps;
	const lastEventId = deps.logs.get(id)?.lastId() ?? 0;
	const unkept = (cause: unknown) => {
		if (isAway(cause)) throw cause;
		const error = stackOf(cause);
		logger.error("a cancelled job could not hand over its report", { job: id, error });
		return endings.cancel(id, { lastEventId });
	};
	const row = await finishEarly(deps, id)
		.then((end) => endings.cancel(id, { lastEventId, ...(end && { end }) }))
		.catch(unkept)
		.catch((cause: unknown) => {
			if (isAway(cause)) throw cause;
			return endings.fail(id, "error", lastEventId);
		});
	await ended(row, id);
}

/** What the latest checkpoint comes to; undefined where nothing was found yet. */
async function finishEarly({ store, notes, works }: WorkServices, id: string) {
	const row = await store.read((reader) => reader.get("jobs", id));
	const kept = row && (await notes.readWork(id));
	if (!kept?.state || kept.done === 0) return undefined;
	return works.find(({ kind }) => kind === row?.kind)?.finish(kept.state);
}

/** Runs one pass until it ends or the signal is aborted, whichever comes first; throws the signal's reason then. */
async function runPass(
	deps: WorkServices,
	order: Pick<Begun, "work" | "state" | "log"> & {
		readonly row: JobRow;
		readonly pass: string;
		/** Aborted when the job is cancelled or the process stops. */
		readonly signal: AbortSignal;
		/** Called when the pass has taken all the time there is. */
		readonly onTimeout: () => void;
	},
): Promise<JobJson> {
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
			if (!isOver && !signal.aborted) log.emit(event, data);
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

/** Persists how far a pass has come, now and then, and reports it once that is durable. */
function createProgress({ store, clock }: WorkServices, { id }: JobRow, log: EventLog) {
	let latest: WorkProgress | undefined;
	let writing: Promise<void> | undefined;
	let writtenMs = Number.NEGATIVE_INFINITY;
	const write = async ({ considered, read, share = 0 }: WorkProgress): Promise<void> => {
		const change = { id, from: ["running"], now: clock.now() } as const;
		const row = await store.transaction((tx) =>
			changeJob(tx, change, (job) => ({ considered, read, percent: percentOf(job, share) })),
		);
		if (row) log.emit("research.progress", progressOf(row));
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
			const { considered, read } = progress;
			if (!Number.isSafeInteger(considered) || !Number.isSafeInteger(read)) return;
			latest = progress;
			begin();
		},
		async end() {
			await writing;
			if (latest) await write(latest).catch(() => undefined);
		},
	};
}
