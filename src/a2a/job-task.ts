import { type Task, TaskState } from "@a2a-js/sdk";
import type { CallResult, JobJson, JobStatus } from "../contract/contract.js";
import type { JobView, JobWire } from "../jobs/jobs.js";
import { toIsoTime } from "../kernel/kernel.js";
import { agentMessage, answerArtifact, costOf, openTask, type TaskFrame } from "./answer-task.js";

/** The job behind a task; undefined for a task that was answered at once. */
export function jobIdOf({ metadata }: Pick<Task, "metadata">): string | undefined {
	return metadata?.["job_id"];
}

/** The task of a call that has launched a job: what is kept of it, and what every later look at the job is joined with. */
export function toLaunchedTask(frame: TaskFrame, { output, cost }: CallResult): Task {
	const { requestId, skillId, timestamp } = frame;
	const { job_id, passes, links } = (output as { readonly data: JobWire }).data;
	const task = openTask(frame);
	return {
		...task,
		status: toStatus(task, { state: TaskState.TASK_STATE_SUBMITTED, text: WAITING, timestamp }),
		metadata: { skill: skillId, request_id: requestId, cost, job_id, passes, links },
	};
}

const WAITING = "Waiting for its turn; the price is reserved.";

const STATE_OF: Readonly<Record<JobStatus, TaskState>> = {
	queued: TaskState.TASK_STATE_SUBMITTED,
	running: TaskState.TASK_STATE_WORKING,
	cancelling: TaskState.TASK_STATE_WORKING,
	completed: TaskState.TASK_STATE_COMPLETED,
	expired: TaskState.TASK_STATE_COMPLETED,
	failed: TaskState.TASK_STATE_FAILED,
	cancelled: TaskState.TASK_STATE_CANCELED,
};

export function taskStateOf({ job }: JobView): TaskState {
	return STATE_OF[job.status];
}

/** The task as its job stands; with the report, where there is one, as its artifact. */
export function toJobTask(
	task: Task,
	view: JobView,
	found: { readonly report: JobJson; readonly text: string } | undefined,
): Task {
	const { job, credit, updatedAt } = view;
	const known = costOf(task);
	const { price_usd: _price, ...taken } = job.cost;
	const cost = { balance_after_usd: null, ...known, ...taken };
	const metadata: NonNullable<Task["metadata"]> = {
		...task.metadata,
		cost,
		receipt_id: cost.receipt_id,
		...progressOf(job),
		stop_reason: job.stop_reason,
		links: job.links,
		...(credit && { credit }),
	};
	const body = {
		ok: true,
		data: { ...job, report: found?.report },
		meta: { request_id: metadata["request_id"], cost },
	};
	return {
		...task,
		status: toStatus(task, {
			state: STATE_OF[job.status],
			text: textOf(view),
			timestamp: job.ended_at ?? toIsoTime(updatedAt),
		}),
		artifacts: found
			? [answerArtifact({ taskId: task.id, name: String(metadata["skill"]), body, ...found })]
			: [],
		metadata,
	};
}

/** The task while its job works, as the event of a pass tells it. */
export function toProgressTask(task: Task, progress: JobProgress, timestamp: string): Task {
	const state = TaskState.TASK_STATE_WORKING;
	return {
		...task,
		status: toStatus(task, { state, text: progressText(progress), timestamp }),
		metadata: { ...task.metadata, ...progress },
	};
}

export interface JobProgress {
	readonly percent: number;
	readonly pass: string | null;
	readonly pass_number: number;
	readonly passes: number;
	readonly sources_considered: number;
	readonly sources_read: number;
}

/** What a job or one of its events says of how far it is. */
export function progressOf(source: JobProgress): JobProgress {
	const { percent, pass, pass_number, passes, sources_considered, sources_read } = source;
	return { percent, pass, pass_number, passes, sources_considered, sources_read };
}

/** What a payment on a chain was told at the launch stays in every status of the task. */
function toStatus(
	{ id: taskId, contextId, status }: Task,
	told: { readonly state: TaskState; readonly text: string; readonly timestamp: string },
): NonNullable<Task["status"]> {
	const { state, text, timestamp } = told;
	const { metadata, extensions = [] } = status?.message ?? {};
	const message = { ...agentMessage({ taskId, contextId, text }), metadata, extensions };
	return { state, message, timestamp };
}

function textOf({ job, credit }: JobView): string {
	const { status, cost } = job;
	const back = credit
		? ` ${credit.balance_usd} USD of what had settled are on a Shared Payment Token; GET ${job.links.status} tells its secret, once.`
		: "";
	if (status === "queued") return WAITING;
	if (status === "running") return progressText(job);
	if (status === "cancelling") return "Being cancelled.";
	if (status === "failed") {
		return `The job failed (${job.stop_reason ?? "error"}) and nothing was charged.${back}`;
	}
	if (status === "cancelled") {
		return `Cancelled; ${cost.amount_usd} USD were taken for the passes that had begun.${back}`;
	}
	if (status === "expired") return "Done; the time of the report is over.";
	return cost.charged
		? `Done: the report is in the artifact. Charged: ${cost.amount_usd} USD.${back}`
		: `The curated graphs have no answer to this; nothing was charged.${back}`;
}

function progressText(progress: JobProgress): string {
	const { pass, pass_number, passes, sources_read, sources_considered } = progress;
	if (pass === null) return "Begun.";
	return `Pass ${pass_number} of ${passes}: ${pass}. ${sources_read} of ${sources_considered} sources read.`;
}
