import { type Artifact, type Message, type Part, Role, type Task, TaskState } from "@a2a-js/sdk";
import type { CallResult, CostWire, PaidOutput, SkillId } from "../contract/contract.js";
import { toErrorWire } from "../http/http.js";
import { type ServiceError, siblingId } from "../kernel/kernel.js";

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
export function answerArtifact(told: {
	readonly taskId: string;
	readonly name: string;
	readonly body: unknown;
	readonly text: string;
}): Artifact {
	const { taskId, name, body, text } = told;
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
	const told = `${error.message} Nothing was charged and the task is not kept; the same message may be sent again.`;
	const task = openTask(frame);
	return {
		...task,
		status: {
			state: TaskState.TASK_STATE_FAILED,
			message: agentMessage({ taskId, contextId: task.contextId, text: told }),
			timestamp,
		},
		metadata: { skill: skillId, request_id: requestId, error: toErrorWire(error, requestId) },
	};
}

/** Whether somebody has paid for this task, now or when its message was sent first. */
export function isPaid(task: Task): boolean {
	return costOf(task)?.charged === true;
}

/** What the task's call cost; undefined for one that failed. */
export function costOf({ metadata }: Task): CostWire | undefined {
	return metadata?.["cost"];
}

/** A paid task as the answer to a repeated message: wherever it tells its cost, it says that it was paid before. */
export function toRepeatedTask(task: Task): Task {
	const paid = costOf(task);
	if (!paid?.charged) return task;
	const cost: CostWire = { ...paid, replayed: true };
	const repeatPart = (part: Part): Part => {
		if (part.content?.$case !== "data") return part;
		const { value } = part.content;
		const told = { ...value, meta: { ...value.meta, cost } };
		return { ...part, content: { $case: "data", value: told } };
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
