import type { Message, Task } from "@a2a-js/sdk";
import type { Clock } from "../core/clock.js";
import { LIMITS } from "../core/limits.js";
import type { Demand, PaymentReceipt } from "./payment-status.js";
import type { SkillRequest } from "./skill-request.js";

/** A message somebody wants to pay for: what it asks for, and how its payment stands. */
export interface WaitingTask {
	readonly taskId: string;
	/** The message that asked; later ones only pay for it. */
	readonly message: Message;
	readonly request: SkillRequest;
	/** Address the demand names, whichever binding carries the payment. */
	readonly resourceUrl: string;
	readonly required: Demand | undefined;
	/** Payments that failed. */
	readonly receipts: readonly PaymentReceipt[];
	/** Hash of the payment whose settlement is not known; no other one is taken meanwhile. */
	readonly unsettled: string | undefined;
	/** The task as it was told last. */
	readonly told: Task;
}

/** Memory of unpaid tasks, bounded in number, size and time: text nobody paid for must not fill a disk. */
export interface WaitingTasks {
	find(taskId: string): WaitingTask | undefined;
	/** Starts its time anew; the oldest make room. */
	keep(task: WaitingTask): void;
	forget(taskId: string): void;
}

interface Entry {
	readonly task: WaitingTask;
	readonly chars: number;
	readonly expiresAt: number;
}

export function createWaitingTasks(clock: Clock): WaitingTasks {
	const entries = new Map<string, Entry>(); // oldest first
	let chars = 0;

	const forget = (taskId: string) => {
		chars -= entries.get(taskId)?.chars ?? 0;
		entries.delete(taskId);
	};
	const makeRoom = () => {
		const now = clock.now();
		for (const [taskId, { expiresAt }] of entries) {
			const isFull = entries.size > LIMITS.waitingTasksMax || chars > LIMITS.waitingTasksChars;
			if (!isFull && expiresAt > now) return;
			forget(taskId);
		}
	};
	return {
		find(taskId) {
			const entry = entries.get(taskId);
			return entry && entry.expiresAt > clock.now() ? entry.task : undefined;
		},
		keep(task) {
			forget(task.taskId);
			const size = JSON.stringify(task.told).length;
			chars += size;
			entries.set(task.taskId, {
				task,
				chars: size,
				expiresAt: clock.now() + LIMITS.waitingTaskTtlMs,
			});
			makeRoom();
		},
		forget,
	};
}
