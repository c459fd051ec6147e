import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { Purchase } from "./purchase.js";

/**
 * A finished task as the events of its life: submitted, working, artifact, last status. The work is done before the
 * first of them, so that a refusal is still an HTTP status. A repeated message gets the task itself, in one event.
 */
export function toStreamEvents({ task, isRepeated }: Purchase): StreamResponse[] {
	if (isRepeated) return [taskEvent(task)];
	const submitted = { ...task, status: statusOf(task, TaskState.TASK_STATE_SUBMITTED) };
	return [
		taskEvent({ ...submitted, artifacts: [], metadata: undefined }),
		statusEvent(task, statusOf(task, TaskState.TASK_STATE_WORKING), undefined),
		...artifactEvents(task),
		statusEvent(task, task.status, task.metadata),
	];
}

function taskEvent(value: Task): StreamResponse {
	return { payload: { $case: "task", value } };
}

function statusOf({ status }: Task, state: TaskState): Task["status"] {
	return { state, message: undefined, timestamp: status?.timestamp };
}

function statusEvent(
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
