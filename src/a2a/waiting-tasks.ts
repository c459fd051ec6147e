import { Message, Task } from "@a2a-js/sdk";
import { LIMITS } from "../contract/contract.js";
import type { Clock } from "../kernel/kernel.js";
import type { Demand, PaymentReceipt } from "./payment-status.js";
import { type SkillRequest, toSkillRequest } from "./skill-request.js";
import { withoutPayload } from "./x402-extension.js";

/** A message somebody wants to pay for: what it asks for, and how its payment stands. */
export interface WaitingTask {
	readonly taskId: string;
	/** IP address that asked. */
	readonly address: string;
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
	has(taskId: string): boolean;
	/**
	 * Starts its time anew. Where room is short, the address that holds most loses its oldest; a task that is being paid
	 * for, or whose settlement is not known, stays.
	 */
	keep(task: WaitingTask): void;
	forget(taskId: string): void;
}

export interface WaitingTasksDeps {
	readonly clock: Clock;
	/** A payment of the task is under way. */
	readonly isBusy: (taskId: string) => boolean;
}

interface Entry {
	/** One flat string: what is counted is what is held, which is not so for objects a caller has made up. */
	readonly text: string;
	readonly address: string;
	readonly isUnsettled: boolean;
	readonly expiresAt: number;
}

export function createWaitingTasks({ clock, isBusy }: WaitingTasksDeps): WaitingTasks {
	const entries = new Map<string, Entry>(); // oldest first
	let chars = 0;

	const forget = (taskId: string) => {
		chars -= entries.get(taskId)?.text.length ?? 0;
		entries.delete(taskId);
	};
	const findAlive = (taskId: string) => {
		const entry = entries.get(taskId);
		return entry && entry.expiresAt > clock.now() ? entry : undefined;
	};
	const isFull = () => entries.size > LIMITS.waitingTasksMax || chars > LIMITS.waitingTasksChars;
	const findLeastMissed = () => {
		const free = [...entries].filter(([id, { isUnsettled }]) => !isUnsettled && !isBusy(id));
		const heaviest = heaviestOf(free.map(([, entry]) => entry));
		return free.find(([, { address }]) => address === heaviest)?.[0];
	};
	const makeRoom = () => {
		const now = clock.now();
		for (const [taskId, { expiresAt }] of entries) {
			if (expiresAt > now) break;
			forget(taskId);
		}
		while (isFull()) {
			const taskId = findLeastMissed();
			if (taskId === undefined) return;
			forget(taskId);
		}
	};
	return {
		find(taskId) {
			const entry = findAlive(taskId);
			return entry && fromText(entry.text);
		},
		has: (taskId) => findAlive(taskId) !== undefined,
		keep(task) {
			forget(task.taskId);
			const text = toText(task);
			chars += text.length;
			entries.set(task.taskId, {
				text,
				address: task.address,
				isUnsettled: task.unsettled !== undefined,
				expiresAt: clock.now() + LIMITS.waitingTaskTtlMs,
			});
			makeRoom();
		},
		forget,
	};
}

/** The address whose tasks are the longest together. */
function heaviestOf(entries: readonly Entry[]): string | undefined {
	const sums = new Map<string, number>();
	for (const { address, text } of entries) {
		sums.set(address, (sums.get(address) ?? 0) + text.length);
	}
	const [first] = [...sums].sort(([, a], [, b]) => b - a);
	return first?.[0];
}

/** The asking message is kept once, and what it asks for is read from it again. */
function toText({ request: _, message, told, ...rest }: WaitingTask): string {
	return JSON.stringify({
		...rest,
		message: Message.toJSON(withoutPayload(message)),
		told: Task.toJSON({ ...told, history: told.history.slice(1) }),
	});
}

function fromText(text: string): WaitingTask {
	const { message: asked, told: last, ...rest } = JSON.parse(text);
	const message = Message.fromJSON(asked);
	const told = Task.fromJSON(last);
	return {
		...rest,
		message,
		request: toSkillRequest(message),
		told: { ...told, history: [message, ...told.history] },
	};
}
