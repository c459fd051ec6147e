import type { Task, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { TASK_LIMITS } from "../contract/contract.js";
import type { JobViews } from "../jobs/jobs.js";
import {
	type Egress,
	pause,
	type SealedText,
	ServiceError,
	stackOf,
	toIsoTime,
} from "../kernel/kernel.js";
import { jobIdOf, toProgressTask } from "./a2a-task.js";
import type { A2aServices } from "./exchange.js";
import {
	createPushConfigs,
	createPushSend,
	type PushConfigs,
	type PushSend,
	type PushSign,
	type PushTarget,
	sendSurely,
	toPushTarget,
	toPushWire,
} from "./push-targets.js";
import type { TaskArchive } from "./task-archive.js";
import { progressAfter } from "./task-events.js";
import { isFinal } from "./x402-extension.js";

/** How addresses that callers name are reached. */
export interface PushTransport {
	/** Reaches public addresses only. */
	readonly egress: Egress;
	/** Throws INVALID_ARGUMENT for an address it would not reach, as far as its text shows. */
	readonly judge: (url: string) => void;
	/** Seals what is kept of them. */
	readonly seal: SealedText;
}

/** Push notification targets of a running task: set, read, deleted and notified. */
export type PushService = ReturnType<typeof createPushing>;

type PushServices = Pick<A2aServices, "store" | "clock" | "logger"> & Pick<TaskArchive, "read">;

/** Refuses what cannot be: without jobs nothing goes on behind a task. */
export function createPushService(
	deps: PushServices &
		Pick<A2aServices, "jobs"> & {
			readonly transport: PushTransport | undefined;
			readonly sign: PushSign;
		},
): PushService {
	const { jobs, transport } = deps;
	return jobs && transport ? createPushing({ ...deps, jobs, transport }) : NO_PUSH;
}

function createPushing(
	deps: PushServices & {
		readonly jobs: JobViews;
		readonly transport: PushTransport;
		readonly sign: PushSign;
	},
) {
	const { store, transport, sign } = deps;
	const configs = createPushConfigs({ store, seal: transport.seal });
	const notifier = createPushNotifier({
		...deps,
		configs,
		send: createPushSend({ ...transport, sign }),
	});

	const toTarget = (config: TaskPushNotificationConfig, version: PushTarget["version"]) => {
		const target = toPushTarget(config, version);
		transport.judge(target.url);
		return target;
	};
	return {
		/** Throws INVALID_ARGUMENT for what `set` would not take. */
		check(config: TaskPushNotificationConfig, version: PushTarget["version"]): void {
			toTarget(config, version);
		},
		/** Notifies from now on. Throws UnsupportedOperation for a task that nothing goes on behind. */
		async set(
			task: Task,
			config: TaskPushNotificationConfig,
			version: PushTarget["version"],
		): Promise<TaskPushNotificationConfig> {
			const target = toTarget({ ...config, taskId: task.id }, version);
			const jobId = jobIdOf(task);
			if (jobId === undefined || isFinal(task)) throw nothingToTell();
			await configs.put(task.id, target);
			notifier.begin(task.id, jobId);
			return { ...toPushWire(task.id, target), token: config.token };
		},
		/** Throws TaskNotFound for an id that is not set. */
		async get(taskId: string, id: string): Promise<TaskPushNotificationConfig> {
			const target = (await configs.listOf(taskId)).find((each) => each.id === (id || taskId));
			if (target) return toPushWire(taskId, target);
			throw new TaskNotFoundError(`Nobody is told of the task ${taskId} under the id "${id}".`);
		},
		list: async (taskId: string): Promise<TaskPushNotificationConfig[]> =>
			(await configs.listOf(taskId)).map((target) => toPushWire(taskId, target)),
		remove: (taskId: string, id: string) => configs.remove(taskId, id || taskId),
		/** Goes on sending what an earlier process had still to send. */
		async resume() {
			for (const { taskId, jobId } of await configs.open()) notifier.begin(taskId, jobId);
		},
		/** Stops; what is not sent yet is sent after the next start. */
		close: notifier.close,
	};
}

function nothingToTell(): Error {
	return new UnsupportedOperationError(
		"Nothing goes on behind this task, so there is nothing to be told; read it with tasks/get.",
	);
}

const refuse = async () => {
	throw nothingToTell();
};
const NO_PUSH: PushService = {
	check: () => undefined,
	set: refuse,
	get: refuse,
	list: async () => [],
	remove: async () => undefined,
	resume: async () => undefined,
	close: async () => undefined,
};

function createPushNotifier(
	deps: PushServices & {
		readonly jobs: JobViews;
		readonly configs: PushConfigs;
		readonly send: PushSend;
	},
) {
	const { jobs, configs, send, read, clock, logger } = deps;
	const stop = new AbortController();
	const following = new Map<string, Promise<void>>();
	const { signal } = stop;

	const notifyOfPass = async (task: Task): Promise<void> => {
		await Promise.all((await configs.listOf(task.id)).map((target) => send(target, task)));
	};
	const notifyOfEnd = async (taskId: string): Promise<void> => {
		const notified = new Set<string>();
		for (;;) {
			const ended = signal.aborted ? undefined : await read(taskId);
			if (!ended || !isFinal(ended)) return;
			const waiting = (await configs.listOf(taskId)).filter(({ id }) => !notified.has(id));
			if (waiting.length === 0) return configs.settle(taskId);
			const sendTo = async (target: (typeof waiting)[number]) => {
				const isDone = await sendSurely(() => send(target, ended), { clock, signal });
				if (isDone) notified.add(target.id);
			};
			await Promise.all(waiting.map(sendTo));
		}
	};
	const follow = async (taskId: string, jobId: string): Promise<void> => {
		const task = await read(taskId);
		const events = task && (await jobs.follow(jobId, signal));
		if (!events) return;
		let pass = task.metadata?.["pass_number"];
		let busy: Promise<void> | undefined;
		for await (const progress of progressAfter(task, events)) {
			if (progress === "ended") break;
			// A pass that begins while the word of an earlier one is being sent is skipped: the end never does.
			if (busy || progress.pass_number === pass) continue;
			pass = progress.pass_number;
			busy = notifyOfPass(toProgressTask(task, progress, toIsoTime(clock.now())))
				.catch(() => undefined)
				.finally(() => {
					busy = undefined;
				});
		}
		await busy;
		await notifyOfEnd(taskId);
	};
	/** A job whose events too many read is asked again later. */
	const followSurely = async (taskId: string, jobId: string): Promise<void> => {
		while (!signal.aborted) {
			try {
				return await follow(taskId, jobId);
			} catch (error) {
				if (!(error instanceof ServiceError) || error.code !== "RATE_LIMITED") throw error;
				await pause(TASK_LIMITS.pushBusyMs, { clock, signal });
			}
		}
	};
	return {
		/** Begins, unless that is under way. */
		begin(taskId: string, jobId: string): void {
			if (following.has(taskId) || signal.aborted) return;
			const done = followSurely(taskId, jobId)
				.catch((error) =>
					logger?.error("a task could not be told of", { taskId, error: stackOf(error) }),
				)
				.finally(() => following.delete(taskId));
			following.set(taskId, done);
		},
		async close(): Promise<void> {
			stop.abort();
			await Promise.all(following.values());
		},
	};
}
