import type { Clock } from "../../src/kernel/kernel.js";
import { unreachable } from "./connection.js";

/** How long work that was not sent yet waits for the database; what was sent has limits of its own. */
const QUEUE_MS = 10_000;

export interface Queued {
	/** By the monotonic clock. */
	readonly queuedMs: number;
	readonly fail: (error: unknown) => void;
}

/**
 * Refuses what has waited in the queue for too long, because the database hangs: of it nothing was sent, so nothing was changed.
 * Returns what is to be called when something joins the queue. One timer runs while there is something in it.
 */
export function createQueueDeadline<One extends Queued>(
	clock: Clock,
	queue: One[],
	onRefused: (one: One) => void = () => undefined,
): () => void {
	let isArmed = false;
	const refuseOverdue = () => {
		isArmed = false;
		const latest = clock.monotonicMs() - QUEUE_MS;
		for (const one of queue.filter(({ queuedMs }) => queuedMs <= latest)) {
			queue.splice(queue.indexOf(one), 1);
			onRefused(one);
			one.fail(unreachable(new Error("It waited for others that the database did not answer.")));
		}
		arm();
	};
	const arm = () => {
		const [oldest] = queue;
		if (isArmed || !oldest) return;
		isArmed = true;
		// A timer may be some fraction of a millisecond early.
		clock.after(oldest.queuedMs + QUEUE_MS - clock.monotonicMs() + 1, refuseOverdue);
	};
	return arm;
}

/** Turns of the event loop that work waits at most for more to join it. */
const TURNS_AT_MOST = 12;

/**
 * Calls `send` once a turn of the event loop has brought nothing more into the queue, or enough is in it. Where the loop has nothing else to
 * do that is at once; where it is busy its turns are long, and one statement for more of them costs both sides less.
 */
export function afterGathering(
	queue: { readonly length: number },
	enough: number,
	send: () => void,
): void {
	const turn = (left: number, before: number) => {
		setImmediate(() => {
			const isGrowing = queue.length > before && queue.length < enough;
			if (isGrowing && left > 1) turn(left - 1, queue.length);
			else send();
		});
	};
	turn(TURNS_AT_MOST, queue.length);
}
