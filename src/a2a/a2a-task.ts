import { type Artifact, type Message, type Part, Role, type Task, TaskState } from "@a2a-js/sdk";
import type {
	CallResult,
	CostWire,
	JobJson,
	JobStatus,
	PaidOutput,
	SkillId,
} from "../contract/contract.js";
import { toErrorWire } from "../http/http.js";
import type { JobView, JobWire } from "../jobs/jobs.js";
import { type ServiceError, siblingId, toIsoTime } from "../kernel/kernel.js";

/** What every task of ours is made from. */
export interface TaskFrame {
	readonly taskId: string;
	readonly message: Message;
	readonly skillId: SkillId;
	readonly requestId: string;
	/** ISO 8601. */
	readonly timestamp: string;
}

/** The finished task of a delivered call: one artifact whose data part is the body REST would have sent, beside it the text. */
export function toCompletedTask(
	frame: TaskFrame,
	{ output, cost }: CallResult,
	text: string,
): Task {
	const { taskId, requestId, skillId, timestamp } = frame;
	const answer = output as PaidOutput;
	const body = { ...answer, meta: { ...answer.meta, request_id: requestId, cost } };
	const artifact = answerArtifact({ taskId, name: skillId, body, text });
	return {
		...openTask(frame),
		status: { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp },
		artifacts: [artifact],
		metadata: { skill: skillId, request_id: requestId, cost, receipt_id: cost.receipt_id },
	};
}

/** One artifact: a data part with the body REST would have sent, beside it the text. */
function answerArtifact(answer: {
	readonly taskId: string;
	readonly name: string;
	readonly body: unknown;
	readonly text: string;
}): Artifact {
	const { taskId, name, body, text } = answer;
	return {
		artifactId: siblingId(taskId, "art"),
		name,
		description: "",
		parts: [dataPart(body), textPart(text)],
		metadata: undefined,
		extensions: [],
	};
}

/** The task of a call that failed on our side after it was let in; nothing was charged. */
export function toFailedTask(frame: TaskFrame, error: ServiceError): Task {
	const { taskId, requestId, skillId, timestamp } = frame;
	const message = `${error.message} Nothing was charged; the same message may be sent again.`;
	const task = openTask(frame);
	return {
		...task,
		status: {
			state: TaskState.TASK_STATE_FAILED,
			message: agentMessage({ taskId, contextId: task.contextId, text: message }),
			timestamp,
		},
		metadata: { skill: skillId, request_id: requestId, error: toErrorWire(error, requestId) },
	};
}

/** Whether someone has paid for this task, now or when its message was sent first. */
export function isPaid(task: Task): boolean {
	return costOf(task)?.charged === true;
}

/** What the task's call cost; undefined for one that failed. */
export function costOf({ metadata }: Task): CostWire | undefined {
	return metadata?.["cost"];
}

/** A paid task as the answer to a repeated message: wherever it states its cost, it says that it was paid before. */
export function toRepeatedTask(task: Task): Task {
	const paid = costOf(task);
	if (!paid?.charged) return task;
	const cost: CostWire = { ...paid, replayed: true };
	const repeatPart = (part: Part): Part => {
		if (part.content?.$case !== "data") return part;
		const { value } = part.content;
		const priced = { ...value, meta: { ...value.meta, cost } };
		return { ...part, content: { $case: "data", value: priced } };
	};
	return {
		...task,
		artifacts: task.artifacts.map((artifact) => ({
			...artifact,
			parts: artifact.parts.map(repeatPart),
		})),
		metadata: { ...task.metadata, cost },
	};
}

/** The task without what was asked and answered: its ids, where it stands, and what it cost. */
export function withoutText(task: Task): Task {
	const status = task.status && { ...task.status, message: undefined };
	return { ...task, status, artifacts: [], history: [] };
}

/** The context of a task whose message named none. */
export function ownContextOf(taskId: string): string {
	return `ctx${taskId.slice(taskId.indexOf("_"))}`;
}

/** A message of ours about a task. */
export function agentMessage(about: {
	readonly taskId: string;
	readonly contextId: string;
	readonly text: string;
}): Message {
	const { taskId, contextId, text } = about;
	return {
		messageId: `${taskId}-status`,
		contextId,
		taskId,
		role: Role.ROLE_AGENT,
		parts: [textPart(text)],
		metadata: undefined,
		extensions: [],
		referenceTaskIds: [],
	};
}

/** A task that has only been asked for. */
export function openTask({ taskId, message }: Pick<TaskFrame, "taskId" | "message">): Task {
	const contextId = message.contextId || ownContextOf(taskId);
	return {
		id: taskId,
		contextId,
		status: undefined,
		artifacts: [],
		history: [{ ...message, contextId, taskId }],
		metadata: undefined,
	};
}

function textPart(value: string): Part {
	return toPart({ $case: "text", value }, "text/plain");
}

/** A part of data. */
export function dataPart(value: unknown): Part {
	return toPart({ $case: "data", value }, "application/json");
}

function toPart(content: NonNullable<Part["content"]>, mediaType: string): Part {
	return { content, metadata: undefined, filename: "", mediaType };
}

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

/** The task while its job works, as the event of a pass reports it. */
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

/** What was reported at the launch of a payment on a chain stays in every status of the task. */
function toStatus(
	{ id: taskId, contextId, status }: Task,
	end: { readonly state: TaskState; readonly text: string; readonly timestamp: string },
): NonNullable<Task["status"]> {
	const { state, text, timestamp } = end;
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
