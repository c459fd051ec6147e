import { type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { isFinal, paymentMessage, paymentStatusOf } from "./payment-status.js";
import type { Purchase } from "./sell.js";
import type { PaymentStatus } from "./x402-extension.js";

/**
 * A finished task as the events of its life: submitted, working, artifact, last status. The work is done before the
 * first of them, so that a refusal is still an HTTP status, and a payment is called verified because it was. A repeated
 * message gets the task itself, in one event, and so does one whose task was not worked on.
 */
export function toStreamEvents({ task, isRepeated }: Purchase): StreamResponse[] {
	const payment = paymentStatusOf(task);
	const isWorkedOn = isFinal(task) && (payment === undefined || WORKED.has(payment));
	if (isRepeated || !isWorkedOn) return [taskEvent(task)];
	const tell = (state: TaskState, status: PaymentStatus, text: string) => ({
		state,
		message: payment && paymentMessage(task, text, { status }),
		timestamp: task.status?.timestamp,
	});
	const submitted = tell(
		TaskState.TASK_STATE_SUBMITTED,
		"payment-submitted",
		"The payment was received.",
	);
	const working = tell(TaskState.TASK_STATE_WORKING, "payment-verified", "The payment is good.");
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

export function artifactEvents({ id: taskId, contextId, artifacts }: Task): StreamResponse[] {
	return artifacts.map((artifact) => ({
		payload: {
			$case: "artifactUpdate",
			value: { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined },
		},
	}));
}
