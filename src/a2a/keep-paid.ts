import type { Task } from "@a2a-js/sdk";
import { type Caller, isWallet } from "../contract/contract.js";
import { type Logger, stackOf } from "../kernel/kernel.js";
import { isPaid } from "./answer-task.js";
import type { Exchange } from "./exchange.js";
import { jobIdOf } from "./job-task.js";
import type { TaskArchive } from "./task-archive.js";

/** Keeps a task for its caller; resolves to false when it neither was paid for nor has a job, was not to be kept or could not be. Never rejects. */
export type KeepPaid = (caller: Caller, task: Task, exchange: Exchange) => Promise<boolean>;

/** Only what was paid for is kept, and what a job works on: storage costs the one who fills it. */
export function createKeepPaid(deps: {
	readonly tasks: TaskArchive;
	readonly logger?: Logger | undefined;
}): KeepPaid {
	const { tasks, logger } = deps;
	return async (caller, task, { requestId }) => {
		if (!isPaid(task) && jobIdOf(task) === undefined) return false;
		// A wallet's payment, sent again, is answered from the graphs again: that takes no text of its answer.
		if (caller.keepsNoText && isWallet(caller.owner)) return false;
		try {
			await tasks.keep(caller, task);
			return true;
		} catch (error) {
			// The answer is paid for, so it is delivered; sent again, the message finds its receipt.
			logger?.error("a paid task could not be kept", { requestId, error: stackOf(error) });
			return false;
		}
	};
}
