import type { Task } from "@a2a-js/sdk";
import { TASK_LIMITS } from "../contract/contract.js";
import type { JobViews } from "../jobs/jobs.js";
import { type Clock, type Logger, ServiceError, stackOf, toIsoTime } from "../kernel/kernel.js";
import { toProgressTask } from "./job-task.js";
import { isFinal } from "./payment-status.js";
import type { PushConfigs } from "./push-configs.js";
import { type PushSend, pause, sendSurely } from "./push-sender.js";
import { progressAfter } from "./task-watch.js";

export interface PushNotifierDeps {
	readonly jobs: JobViews;
	readonly configs: PushConfigs;
	readonly send: PushSend;
	/** The task as it stands, whoever asks; undefined once it is gone. */
	readonly read: (taskId: string) => Promise<Task | undefined>;
	readonly clock: Clock;
	readonly logger?: Logger | undefined;
}

/** Tells whoever is set for a task of each pass of its job, once and if they keep up, and of its end until they take it. */
export interface PushNotifier {
	/** Begins, unless that is under way. */
	begin(taskId: string, jobId: string): void;
	close(): Promise<void>;
}

export function createPushNotifier(deps: PushNotifierDeps): PushNotifier {
	const { jobs, configs, send, read, clock, logger } = deps;
	const stop = new AbortController();
	const telling = new Map<string, Promise<void>>();
	const { signal } = stop;

	const tellPass = async (task: Task): Promise<void> => {
		await Promise.all((await configs.listOf(task.id)).map((target) => send(target, task)));
	};
	const tellEnd = async (taskId: string): Promise<void> => {
		const told = new Set<string>();
		for (;;) {
			const ended = signal.aborted ? undefined : await read(taskId);
			if (!ended || !isFinal(ended)) return;
			const waiting = (await configs.listOf(taskId)).filter(({ id }) => !told.has(id));
			if (waiting.length === 0) return configs.settle(taskId);
			const sendTo = async (target: (typeof waiting)[number]) => {
				const isDone = await sendSurely(() => send(target, ended), { clock, signal });
				if (isDone) told.add(target.id);
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
			// A pass that begins while the word of an earlier one is on its way goes untold: the end never does.
			if (busy || progress.pass_number === pass) continue;
			pass = progress.pass_number;
			busy = tellPass(toProgressTask(task, progress, toIsoTime(clock.now())))
				.catch(() => undefined)
				.finally(() => {
					busy = undefined;
				});
		}
		await busy;
		await tellEnd(taskId);
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
		begin(taskId, jobId) {
			if (telling.has(taskId) || signal.aborted) return;
			const done = followSurely(taskId, jobId)
				.catch((error) =>
					logger?.error("a task could not be told of", { taskId, error: stackOf(error) }),
				)
				.finally(() => telling.delete(taskId));
			telling.set(taskId, done);
		},
		async close() {
			stop.abort();
			await Promise.all(telling.values());
		},
	};
}
