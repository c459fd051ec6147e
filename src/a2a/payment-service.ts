import { EventEmitter, on } from "node:events";
import type { Message, StreamResponse, Task } from "@a2a-js/sdk";
import {
	RequestMalformedError,
	TaskNotCancelableError,
	UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { watchLink } from "../http/http.js";
import { JOB_LIMITS } from "../jobs/jobs.js";
import { type Clock, type Ids, ServiceError, toIsoTime } from "../kernel/kernel.js";
import { jobIdOf, openTask, toRepeatedTask } from "./a2a-task.js";
import type { A2aServices, Exchange } from "./exchange.js";
import {
	createPaymentAttempt,
	type PaymentAttempt,
	readSending,
	type SellServices,
	type Sending,
} from "./payment-attempt.js";
import { type Purchase, toSkillRequest } from "./sell.js";
import type { TaskArchive } from "./task-archive.js";
import { changeEvents, taskEvent } from "./task-events.js";
import { createWaitingMemory } from "./task-memory.js";
import { createWaitingRows, sweepWaiting } from "./waiting-rows.js";
import {
	createWaitingTasks,
	toCanceled,
	type WaitingTask,
	type WaitingTasks,
} from "./waiting-tasks.js";
import { isFinal, withoutPayload } from "./x402-extension.js";

/** How often those who follow a task look whether another process has changed it. */
const LOOK_MS = 1_000;

/** Tasks whose id alone opens them: those that wait for a payment, and those a wallet has paid for. */
export type OpenTasks = Pick<PaymentService, "find" | "cancel" | "follow">;

/** Sells to callers who bring no identity: they pay with the message, or are asked to and pay with the next one. */
export type PaymentService = ReturnType<typeof createPaymentService>;

export function createPaymentService(
	deps: SellServices & Pick<A2aServices, "ids" | "store"> & { readonly tasks: TaskArchive },
) {
	const { tasks, ids, clock, store, processCount: share } = deps;
	const { alone, running } = createRunning();
	const bounds = { clock, share, isBusy: (taskId: string) => running.has(taskId) };
	const { isShared } = store.processes;
	const shared = isShared ? createWaitingRows({ ...bounds, store, ids }) : undefined;
	const waiting = createWaitingTasks(shared ?? createWaitingMemory(bounds));
	const attempt = createPaymentAttempt({ ...deps, waiting });
	const find = async (taskId: string): Promise<Task | undefined> =>
		(await waiting.find(taskId))?.reported ?? tasks.findOpen(taskId);
	const { publish, ...changes } = createTaskChanges(clock, isShared ? find : undefined);
	const { pay, end, goOnAlone } = createFollowUps({ waiting, attempt, publish, clock });
	const findPaid = async (sending: Sending): Promise<Purchase | undefined> => {
		const paid = await tasks.findOpen(sending.message.taskId);
		return paid && repeat(paid, sending);
	};

	return {
		/** Throws what the pipeline throws, unless the caller speaks the extension: then the task says what is missing. */
		async open(message: Message, exchange: Exchange): Promise<Purchase> {
			const sending = readSending(message, exchange);
			if (sending.note?.kind === "rejected") {
				throw new RequestMalformedError("A declined payment belongs to a task; name it in taskId.");
			}
			const asked = toWaiting(ids, sending);
			return alone(asked.taskId, sending, () => pay(asked, sending));
		},

		/**
		 * Goes on with a task that waits for its payment or was paid that way; undefined when there is none. The same payment
		 * again gets the same task. Throws IDEMPOTENCY_IN_FLIGHT while another payment of the task is under way.
		 */
		async goOn(message: Message, exchange: Exchange): Promise<Purchase | undefined> {
			const sending = readSending(message, exchange);
			const { taskId } = message;
			const isWaiting = await waiting.has(taskId);
			if (running.has(taskId)) return (await twinOf(running, sending)) ?? findPaid(sending);
			const bought = isWaiting && (await alone(taskId, sending, () => goOnAlone(sending)));
			return bought || findPaid(sending);
		},

		find,

		...changes,

		/** Ends a task that waits; undefined when none does. Throws TaskNotCancelable once it is paid for or finished. */
		async cancel(taskId: string): Promise<Task | undefined> {
			const asked = await waiting.find(taskId);
			if (!asked && !(await tasks.findOpen(taskId))) return undefined;
			const isBusy = !asked || asked.found?.isBusy || running.has(taskId);
			const isOver = isBusy || asked.unsettled !== undefined || isFinal(asked.reported);
			const ended = isOver ? undefined : await end(asked);
			if (ended) return ended;
			throw new TaskNotCancelableError("This task is finished, or it is being paid for.");
		},

		/** Goes on with what processes left waiting that have ended. */
		takeUp: async () => shared?.takeUp(),
		sweep: (now: number) => sweepWaiting(store, now),
	};
}

/** What becomes of a task that waits, by the messages of it. */
function createFollowUps({
	waiting,
	attempt,
	publish,
	clock,
}: Pick<SellServices, "clock"> & {
	readonly waiting: WaitingTasks;
	readonly attempt: PaymentAttempt;
	readonly publish: (task: Task) => Task;
}) {
	const pay = async (asked: WaitingTask, sending: Sending): Promise<Purchase> => {
		const task = await attempt(asked, sending);
		return { task: publish(task), isRepeated: false };
	};
	/** Undefined where it was changed by someone else since it was found. */
	const end = async (asked: WaitingTask, message?: Message): Promise<Task | undefined> => {
		const reported = toCanceled(asked, { message, timestamp: toIsoTime(clock.now()) });
		return (await waiting.keep({ ...asked, reported })) ? publish(reported) : undefined;
	};
	const goOnWith = async (asked: WaitingTask, sending: Sending): Promise<Purchase> => {
		const { message, note, hash } = sending;
		assertContext(message, asked.reported);
		if (isFinal(asked.reported)) return repeat(asked.reported, sending);
		if (asked.unsettled !== undefined && asked.unsettled !== hash) {
			throw inFlight("was paid for, and whether the payment settled is not known yet");
		}
		if (note?.kind !== "rejected") return pay(asked, sending);
		const task = await end(asked, message);
		if (!task) throw inFlight("is being paid for");
		return { task, isRepeated: false };
	};
	const goOnAlone = async (sending: Sending): Promise<Purchase | undefined> => {
		const { taskId } = sending.message;
		const asked = await waiting.claim(taskId, sending.hash);
		try {
			return asked && (await goOnWith(asked, sending));
		} finally {
			await waiting.release(taskId);
		}
	};
	return { pay, end, goOnAlone };
}

type Running = ReadonlyMap<
	string,
	{ readonly hash: string; readonly purchase: Promise<Purchase | undefined> }
>;

/** Payments that this process works on, by their tasks. */
function createRunning() {
	const running = new Map<string, { hash: string; purchase: Promise<Purchase | undefined> }>();
	return {
		running: running as Running,
		alone<P extends Purchase | undefined>(
			taskId: string,
			{ hash }: Sending,
			work: () => Promise<P>,
		): Promise<P> {
			const purchase = work();
			running.set(taskId, { hash, purchase });
			return purchase.finally(() => running.delete(taskId));
		},
	};
}

/** What the same payment buys that is under way already; undefined where it buys nothing. */
async function twinOf(running: Running, { message, hash }: Sending): Promise<Purchase | undefined> {
	const twin = running.get(message.taskId);
	if (twin?.hash !== hash) throw inFlight("is being paid for");
	const bought = await twin.purchase;
	return bought && { task: toRepeatedTask(bought.task), isRepeated: true };
}

/** What becomes of tasks that wait, for those who have subscribed to them. */
function createTaskChanges(
	clock: Clock,
	/** Finds what another process may have changed; absent where there is none. */
	look: ((taskId: string) => Promise<Task | undefined>) | undefined,
) {
	const changed = new EventEmitter<Record<string, [Task]>>().setMaxListeners(0);
	const closing = new AbortController();
	const publish = (task: Task): Task => {
		changed.emit(task.id, task);
		return task;
	};
	const publishSeen = async (taskId: string) => {
		const found = await look?.(taskId).catch(() => undefined);
		if (found) publish(found);
	};
	/** One look for all who follow a task, the next one once it is answered. */
	const looks = new Map<string, { followers: number; readonly stop: () => void }>();
	const startLooking = (taskId: string) => {
		let isLooking = false;
		return clock.every(LOOK_MS, () => {
			if (isLooking) return;
			isLooking = true;
			void publishSeen(taskId).finally(() => {
				isLooking = false;
			});
		});
	};
	const keepLooking = (taskId: string) => {
		if (!look) return () => undefined;
		const shared = looks.get(taskId) ?? { followers: 0, stop: startLooking(taskId) };
		shared.followers += 1;
		looks.set(taskId, shared);
		return () => {
			shared.followers -= 1;
			if (shared.followers > 0) return;
			shared.stop();
			looks.delete(taskId);
		};
	};
	return {
		/** The process ends: those who follow go. */
		close: () => closing.abort(),
		publish,
		/**
		 * The task, then whatever changes it. Ends when the task does, when the caller leaves and after JOB_LIMITS.eventStreamMs.
		 * Throws RATE_LIMITED before the first event while too many read the same task.
		 */
		async *follow(
			task: Task,
			{ carrier }: Exchange,
		): AsyncGenerator<StreamResponse, void, undefined> {
			assertFewer(changed.listenerCount(task.id));
			const caller = watchLink(carrier, clock, JOB_LIMITS.eventStreamMs);
			const signal = AbortSignal.any([caller.signal, closing.signal]);
			const stopLooking = keepLooking(task.id);
			try {
				signal.throwIfAborted();
				const later = newsOf(task, on(changed, task.id, { signal }));
				yield taskEvent(task);
				for await (const next of later) {
					yield* changeEvents(next);
					// What a job goes on with is told by the job's own events.
					if (isFinal(next) || jobIdOf(next) !== undefined) return;
				}
			} catch (error) {
				if (!signal.aborted) throw error;
			} finally {
				stopLooking();
				caller.stop();
			}
		},
	};
}

/** What is looked at again and again is news once. */
async function* newsOf(
	task: Task,
	later: AsyncIterable<readonly Task[]>,
): AsyncGenerator<Task, void, undefined> {
	let seen = task.status;
	for await (const [next] of later) {
		if (!next || (next.status?.state === seen?.state && next.status?.timestamp === seen?.timestamp))
			continue;
		seen = next.status;
		yield next;
	}
}

function assertFewer(streams: number): void {
	if (streams < JOB_LIMITS.eventStreamsPerJob) return;
	throw new ServiceError(
		"RATE_LIMITED",
		`This task is read ${streams} times at once already; close one of the streams first.`,
	);
}

/** A new task of a message; it is shown to no one yet. Its context's id, which others may see, reveals nothing of its own. */
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
		reported: openTask({ taskId, message }),
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
