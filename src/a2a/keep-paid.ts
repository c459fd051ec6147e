import type { Task } from "@a2a-js/sdk";
import { type Logger, stackOf } from "../core/logger.js";
import { isPaid } from "./answer-task.js";
import type { Exchange } from "./exchange.js";
import type { TaskArchive } from "./task-archive.js";

/** Keeps a task under its owner; resolves to false when it was not paid for or could not be kept. Never rejects. */
export type KeepPaid = (owner: string, task: Task, exchange: Exchange) => Promise<boolean>;

/** Only what was paid for is kept: storage costs the one who fills it. */
export function createKeepPaid(deps: {
	readonly tasks: TaskArchive;
	readonly logger?: Logger | undefined;
}): KeepPaid {
	const { tasks, logger } = deps;
	return async (owner, task, { requestId }) => {
		if (!isPaid(task)) return false;
		try {
			await tasks.keep(owner, task);
			return true;
		} catch (error) {
			// The answer is paid for, so it is delivered; sent again, the message finds its receipt.
			logger?.error("a paid task could not be kept", { requestId, error: stackOf(error) });
			return false;
		}
	};
}
