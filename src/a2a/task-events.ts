import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { LAST_EVENTS, TASK_LIMITS } from "../contract/contract.js";
import { watchLink } from "../http/http.js";
import { JOB_LIMITS } from "../jobs/jobs.js";
import { ServiceError, toIsoTime } from "../kernel/kernel.js";
import { type JobProgress, jobIdOf, progressOf, toProgressTask } from "./a2a-task.js";
import type { A2aServices, Exchange } from "./exchange.js";
import type { Purchase } from "./sell.js";
import type { LiveTasks } from "./task-archive.js";
import { isFinal, type PaymentStatus, paymentMessage, paymentStatusOf } from "./x402-extension.js";

/** True for the name of the one event that ends a job. */
function isLastEvent(name: string): boolean {
	return LAST_EVENTS.some((last) => last === name);
}

/** What callers see of a task while its job goes on. */
export type TaskWatch = ReturnType<typeof createTaskWatch>;

export function createTaskWatch(
	deps: Pick<A2aServices, "jobs" | "clock"> & { readonly live: LiveTasks },
) {
	const { live, clock } = deps;
	const jobs = () => {
		if (deps.jobs) return deps.jobs;
		throw new UnsupportedOperationError("Nothing goes on behind this task.");
	};
	const nowOf = async (task: Task): Promise<Task> => (await live.now(task)) ?? task;

	const waitFor = async (task: Task, exchange: Exchange, timeoutMs: number) => {
		const caller = watchLink(exchange.carrier, clock, timeoutMs);
		try {
			const events = await jobs().follow(jobIdOf(task) ?? "", caller.signal);
			if (events) await untilLast(events);
		} catch (error) {
			// Too many wait for this job already: anyone who only wants an answer gets it at once.
			if (!(error instanceof ServiceError) || error.code !== "RATE_LIMITED") throw error;
		} finally {
			caller.stop();
		}
		return nowOf(task);
	};

	return {
		/** The task as its job stands. */
		now: nowOf,
		/** The task once its job has ended, or as it stands when the caller has waited long enough. */
		untilEnd: (task: Task, exchange: Exchange): Promise<Task> =>
			waitFor(task, exchange, TASK_LIMITS.blockingMs),

		/**
		 * The task as it is given, then each pass and each other progress since, the report as an artifact and the last status. Ends
		 * when the task does, when the caller leaves, after JOB_LIMITS.eventStreamMs and when the server stops: then it is resumed
		 * by subscribing again. Throws RATE_LIMITED before the first event while too many read the same job.
		 */
		async *events(
			task: Task,
			{ carrier }: Exchange,
		): AsyncGenerator<StreamResponse, void, undefined> {
			const caller = watchLink(carrier, clock, JOB_LIMITS.eventStreamMs);
			try {
				const events = await jobs().follow(jobIdOf(task) ?? "", caller.signal);
				yield taskEvent(task);
				if (!events) return;
				for await (const progress of progressAfter(task, events)) {
					if (progress === "ended") yield* changeEvents(await nowOf(task));
					else yield progressEvent(task, progress, toIsoTime(clock.now()));
				}
			} finally {
				caller.stop();
			}
		},

		/** Cancels the job behind an open task; the task with its last state, if that comes soon. */
		async cancel(task: Task, exchange: Exchange): Promise<Task> {
			await jobs().cancel(jobIdOf(task) ?? "");
			return waitFor(task, exchange, TASK_LIMITS.cancelMs);
		},
	};
}

/** How far the job is whenever that is news to who has seen the task, then that it has ended. */
export async function* progressAfter(
	seen: Task,
	events: AsyncIterable<{ readonly event: string; readonly data: unknown }>,
): AsyncGenerator<JobProgress | "ended", void, undefined> {
	let latest = latestOf(seen);
	for await (const { event, data } of events) {
		if (isLastEvent(event)) return yield "ended";
		if (event !== "research.progress") continue;
		const progress = progressOf(data as JobProgress);
		if (latest && !isLater(progress, latest)) continue;
		latest = progress;
		yield progress;
	}
}

function progressEvent(task: Task, progress: JobProgress, timestamp: string): StreamResponse {
	const { status } = toProgressTask(task, progress, timestamp);
	return statusEvent(task, status, { job_id: jobIdOf(task), ...progress });
}

async function untilLast(events: AsyncIterable<{ readonly event: string }>): Promise<void> {
	for await (const { event } of events) if (isLastEvent(event)) return;
}

/** What is new of a task, for who has seen it before. */
export function* changeEvents(task: Task): Generator<StreamResponse, void, undefined> {
	yield* artifactEvents(task);
	yield statusEvent(task, task.status, task.metadata);
}

/** How far the task was when it was reported; undefined before its first pass. */
function latestOf({ metadata }: Task): JobProgress | undefined {
	const reported = metadata as unknown as JobProgress | undefined;
	return reported?.pass_number ? progressOf(reported) : undefined;
}

function isLater(one: JobProgress, other: JobProgress): boolean {
	return one.pass_number > other.pass_number || one.percent > other.percent;
}

/**
 * A finished task as the events of its life: submitted, working, artifact, last status. The work is done before the
 * first of them, so that a refusal is still an HTTP status, and a payment is called verified because it was. A repeated
 * message gets the task itself, in one event, and so does one whose task was not worked on.
 */
export function toStreamEvents({ task, isRepeated }: Purchase): StreamResponse[] {
	const payment = paymentStatusOf(task);
	const isWorkedOn = isFinal(task) && (payment === undefined || WORKED.has(payment));
	if (isRepeated || !isWorkedOn) return [taskEvent(task)];
	const statusOf = (state: TaskState, status: PaymentStatus, text: string) => ({
		state,
		message: payment && paymentMessage(task, text, { status }),
		timestamp: task.status?.timestamp,
	});
	const submitted = statusOf(
		TaskState.TASK_STATE_SUBMITTED,
		"payment-submitted",
		"The payment was received.",
	);
	const working = statusOf(
		TaskState.TASK_STATE_WORKING,
		"payment-verified",
		"The payment is good.",
	);
	return [
		taskEvent({ ...task, status: submitted, artifacts: [], metadata: undefined }),
		statusEvent(task, working, undefined),
		...artifactEvents(task),
		statusEvent(task, task.status, task.metadata),
	];
}

/** Last words about payments of tasks that were worked on. */
const WORKED: ReadonlySet<PaymentStatus> = new Set(["payment-completed", "payment-verified"]);

export function taskEvent(value: Task): StreamResponse {
	return { payload: { $case: "task", value } };
}

export function statusEvent(
	{ id: taskId, contextId }: Task,
	status: Task["status"],
	metadata: Task["metadata"],
): StreamResponse {
	return { payload: { $case: "statusUpdate", value: { taskId, contextId, status, metadata } } };
}

function artifactEvents({ id: taskId, contextId, artifacts }: Task): StreamResponse[] {
	return artifacts.map((artifact) => ({
		payload: {
			$case: "artifactUpdate",
			value: { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined },
		},
	}));
}
