import type { Message, Task } from "@a2a-js/sdk";
import {
	RequestMalformedError,
	TaskNotCancelableError,
	UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { type Ids, ServiceError, toIsoTime } from "../kernel/kernel.js";
import { openTask, toRepeatedTask } from "./answer-task.js";
import type { Exchange } from "./exchange.js";
import {
	createPaymentAttempt,
	type PaymentAttemptDeps,
	readSending,
	type Sending,
} from "./payment-attempt.js";
import { isFinal } from "./payment-status.js";
import { toCanceled } from "./payment-tasks.js";
import type { Purchase } from "./sell.js";
import { toSkillRequest } from "./skill-request.js";
import type { TaskArchive } from "./task-archive.js";
import { createWaitingTasks, type WaitingTask } from "./waiting-tasks.js";
import { withoutPayload } from "./x402-extension.js";

export interface PaymentServiceDeps extends Omit<PaymentAttemptDeps, "waiting"> {
	readonly tasks: TaskArchive;
	readonly ids: Ids;
}

/** Tasks whose id alone opens them: those that wait for a payment, and those a wallet has paid for. */
export interface OpenTasks {
	find(taskId: string): Promise<Task | undefined>;
	/** Ends a task that waits; undefined when none does. Throws TaskNotCancelable once it is paid for or finished. */
	cancel(taskId: string): Promise<Task | undefined>;
}

/** Sells to callers who bring no identity: they pay with the message, or are asked to and pay with the next one. */
export interface PaymentService extends OpenTasks {
	/** Throws what the pipeline throws, unless the caller speaks the extension: then the task says what is missing. */
	open(message: Message, exchange: Exchange): Promise<Purchase>;
	/**
	 * Goes on with a task that waits for its payment or was paid that way; undefined when there is none. The same payment
	 * again gets the same task. Throws IDEMPOTENCY_IN_FLIGHT while another payment of the task is under way.
	 */
	goOn(message: Message, exchange: Exchange): Promise<Purchase | undefined>;
}

export function createPaymentService(deps: PaymentServiceDeps): PaymentService {
	const { tasks, ids, clock } = deps;
	const running = new Map<
		string,
		{ readonly hash: string; readonly purchase: Promise<Purchase> }
	>();
	const waiting = createWaitingTasks({ clock, isBusy: (taskId) => running.has(taskId) });
	const attempt = createPaymentAttempt({ ...deps, waiting });

	const payOnce = (asked: WaitingTask, sending: Sending): Promise<Purchase> => {
		const purchase = attempt(asked, sending).then((task) => ({ task, isRepeated: false }));
		running.set(asked.taskId, { hash: sending.hash, purchase });
		return purchase.finally(() => running.delete(asked.taskId));
	};
	const end = (asked: WaitingTask, message?: Message): Task => {
		const told = toCanceled(asked, { message, timestamp: toIsoTime(clock.now()) });
		waiting.keep({ ...asked, told });
		return told;
	};
	const goOnWith = async (asked: WaitingTask, sending: Sending): Promise<Purchase> => {
		const { message, note, hash } = sending;
		assertContext(message, asked.told);
		if (isFinal(asked.told)) return repeat(asked.told, sending);
		if (asked.unsettled !== undefined && asked.unsettled !== hash) {
			throw inFlight("was paid for, and whether the payment settled is not known yet");
		}
		if (note?.kind !== "rejected") return payOnce(asked, sending);
		return { task: end(asked, message), isRepeated: false };
	};
	const findPaid = async (sending: Sending): Promise<Purchase | undefined> => {
		const paid = await tasks.findOpen(sending.message.taskId);
		return paid && repeat(paid, sending);
	};

	return {
		async open(message, exchange) {
			const sending = readSending(message, exchange);
			if (sending.note?.kind === "rejected") {
				throw new RequestMalformedError("A declined payment belongs to a task; name it in taskId.");
			}
			return payOnce(toWaiting(ids, sending), sending);
		},

		async goOn(message, exchange) {
			const sending = readSending(message, exchange);
			const busy = running.get(message.taskId);
			if (busy) {
				if (busy.hash !== sending.hash) throw inFlight("is being paid for");
				return { task: toRepeatedTask((await busy.purchase).task), isRepeated: true };
			}
			const asked = waiting.find(message.taskId);
			return asked ? goOnWith(asked, sending) : findPaid(sending);
		},

		find: async (taskId) => waiting.find(taskId)?.told ?? tasks.findOpen(taskId),

		async cancel(taskId) {
			const asked = waiting.find(taskId);
			if (!asked && !(await tasks.findOpen(taskId))) return undefined;
			const isPaid = !asked || running.has(taskId) || asked.unsettled !== undefined;
			if (!isPaid && !isFinal(asked.told)) return end(asked);
			throw new TaskNotCancelableError("This task is finished, or it is being paid for.");
		},
	};
}

/** A new task of a message; it is told to nobody yet. Its context's id, which others may see, tells nothing of its own. */
function toWaiting(ids: Ids, { message: sent, exchange }: Sending): WaitingTask {
	const taskId = ids.next("task");
	const contextId = sent.contextId || ids.next("ctx");
	const message = { ...withoutPayload(sent), taskId, contextId };
	return {
		taskId,
		address: exchange.address,
		message,
		request: toSkillRequest(message),
		resourceUrl: exchange.resourceUrl,
		required: undefined,
		receipts: [],
		unsettled: undefined,
		told: openTask({ taskId, message }),
	};
}

/** A finished task as the answer to what finished it; anything else is refused, charging nothing. */
function repeat(task: Task, { message, hash }: Sending): Purchase {
	const isSame =
		task.metadata?.["payment_hash"] === hash ||
		task.history.some(({ messageId }) => messageId === message.messageId);
	if (isSame) return { task: toRepeatedTask(task), isRepeated: true };
	throw new UnsupportedOperationError(
		"This task is finished; leave out taskId to start another one in the same context.",
	);
}

function assertContext({ contextId }: Message, task: Task): void {
	if (contextId === "" || contextId === task.contextId) return;
	throw new RequestMalformedError(`This task belongs to another context than "${contextId}".`);
}

function inFlight(why: string): ServiceError {
	return new ServiceError(
		"IDEMPOTENCY_IN_FLIGHT",
		`This task ${why}; wait for its answer, or send that payment again.`,
	);
}
