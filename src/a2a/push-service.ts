import type { Task, TaskPushNotificationConfig } from "@a2a-js/sdk";
import { TaskNotFoundError, UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { Store } from "../../store/store.js";
import type { JobViews } from "../jobs/jobs.js";
import type { Clock, Egress, Logger, SealedText } from "../kernel/kernel.js";
import { jobIdOf } from "./job-task.js";
import { isFinal } from "./payment-status.js";
import { createPushConfigs, type PushTarget, toPushTarget, toPushWire } from "./push-configs.js";
import { createPushNotifier } from "./push-notifier.js";
import { createPushSend } from "./push-sender.js";
import type { PushSign } from "./push-signature.js";

/** How addresses that callers name are reached. */
export interface PushWay {
	/** Reaches public addresses only. */
	readonly egress: Egress;
	/** Throws INVALID_ARGUMENT for an address it would not reach, as far as its text tells. */
	readonly judge: (url: string) => void;
	/** Seals what is kept of them. */
	readonly seal: SealedText;
}

/** Whoever is to be told of a task that goes on: set, read, deleted, and told. */
export interface PushService {
	/** Throws INVALID_ARGUMENT for what `set` would not take. */
	check(config: TaskPushNotificationConfig, version: PushTarget["version"]): void;
	/** Tells from now on. Throws UnsupportedOperation for a task that nothing goes on behind. */
	set(
		task: Task,
		config: TaskPushNotificationConfig,
		version: PushTarget["version"],
	): Promise<TaskPushNotificationConfig>;
	/** Throws TaskNotFound for an id that is not set. */
	get(taskId: string, id: string): Promise<TaskPushNotificationConfig>;
	list(taskId: string): Promise<TaskPushNotificationConfig[]>;
	remove(taskId: string, id: string): Promise<void>;
	/** Goes on telling what an earlier process had still to tell. */
	resume(): Promise<void>;
	/** Stops; what is not told yet is told after the next start. */
	close(): Promise<void>;
}

export interface PushServiceDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly jobs: JobViews | undefined;
	readonly way: PushWay | undefined;
	readonly sign: PushSign;
	/** The task as it stands, whoever asks; undefined once it is gone. */
	readonly read: (taskId: string) => Promise<Task | undefined>;
	readonly logger?: Logger | undefined;
}

export function createPushService(deps: PushServiceDeps): PushService {
	const { store, jobs, way, sign } = deps;
	if (!jobs || !way) return CLOSED_DESK;
	const configs = createPushConfigs({ store, seal: way.seal });
	const teller = createPushNotifier({
		...deps,
		jobs,
		configs,
		send: createPushSend({ ...way, sign }),
	});

	const check = (config: TaskPushNotificationConfig, version: PushTarget["version"]) => {
		const target = toPushTarget(config, version);
		way.judge(target.url);
		return target;
	};
	return {
		check,
		async set(task, config, version) {
			const target = check({ ...config, taskId: task.id }, version);
			const jobId = jobIdOf(task);
			if (jobId === undefined || isFinal(task)) throw nothingToTell();
			await configs.put(task.id, target);
			teller.begin(task.id, jobId);
			return { ...toPushWire(task.id, target), token: config.token };
		},
		async get(taskId, id) {
			const target = (await configs.listOf(taskId)).find((each) => each.id === (id || taskId));
			if (target) return toPushWire(taskId, target);
			throw new TaskNotFoundError(`Nobody is told of the task ${taskId} under the id "${id}".`);
		},
		list: async (taskId) =>
			(await configs.listOf(taskId)).map((target) => toPushWire(taskId, target)),
		remove: (taskId, id) => configs.remove(taskId, id || taskId),
		async resume() {
			for (const { taskId, jobId } of await configs.open()) teller.begin(taskId, jobId);
		},
		close: teller.close,
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
const CLOSED_DESK: PushService = {
	check: () => undefined,
	set: refuse,
	get: refuse,
	list: async () => [],
	remove: async () => undefined,
	resume: async () => undefined,
	close: async () => undefined,
};
